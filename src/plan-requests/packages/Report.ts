/** Steps of the validation of a package, in their order. */
export const packageSteps = [
  'Archive',
  'Names',
  'Signature',
  'Schema',
  'Rules',
  'Coordinates',
  'Proximity',
] as const;

/** A step of the validation. */
export type PackageStep = typeof packageSteps[number];

/** States of a step: after one that failed, the others are skipped. */
export const stepStates = [ 'Waiting', 'Running', 'Passed', 'Failed', 'Skipped' ] as const;
/** State of a step. */
export type StepState = typeof stepStates[number];

/** Something that a step found wrong. */
export interface PackageFinding {
  step: PackageStep;
  /** The rule that is broken, such as `entry-encrypted`. */
  rule: string;
  message: string;
  /** Name of the file in the package. */
  file?: string;
  line?: number;
}

/** Progress and result of a validation. */
export interface PackageReport {
  /** Parts of a hundred. */
  progress: number;
  steps: Record<PackageStep, StepState>;
  /** The first {@link maxFindings}. */
  findings: PackageFinding[];
}

/** Findings that a report keeps at most. */
export const maxFindings = 1000;

/** Characters that a finding keeps at most of a text or a name: both have what stands in the package. */
const maxCharacters = 500;

/** A finding whose texts are of usual length, since a report is read as a whole. */
export function shorten({ file, message, ...finding }: PackageFinding): PackageFinding {
  return {
    ...finding,
    message: message.slice(0, maxCharacters),
    ...file !== undefined && { file: file.slice(0, maxCharacters) },
  };
}

/** A report before the first step. */
export function newReport(): PackageReport {
  const steps: PackageReport['steps'] = {
    Archive: 'Waiting',
    Names: 'Waiting',
    Signature: 'Waiting',
    Schema: 'Waiting',
    Rules: 'Waiting',
    Coordinates: 'Waiting',
    Proximity: 'Waiting',
  };
  return { progress: 0, steps, findings: []};
}

/** Checks whether every step has passed, or had nothing to look at. */
export function isGood({ steps }: PackageReport): boolean {
  return packageSteps.every((step): boolean => [ 'Passed', 'Skipped' ].includes(steps[step])) &&
    !packageSteps.some((step): boolean => steps[step] === 'Failed');
}
