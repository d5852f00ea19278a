/** Steps of validation, in order. */
export const packageSteps = [
  'Archive',
  'Names',
  'Signature',
  'Schema',
  'Rules',
  'Coordinates',
  'Proximity',
] as const;

/** A step of validation. */
export type PackageStep = typeof packageSteps[number];

/** States of a step. After one step failed, the rest are skipped. */
export const stepStates = [ 'Waiting', 'Running', 'Passed', 'Failed', 'Skipped' ] as const;
/** State of a step. */
export type StepState = typeof stepStates[number];

/** A fault that a step found. */
export interface PackageFinding {
  step: PackageStep;
  /** The broken rule, such as `entry-encrypted`. */
  rule: string;
  message: string;
  /** Name of the file in the package. */
  file?: string;
  line?: number;
}

/** Progress and result of a validation. */
export interface PackageReport {
  /** In per cent. */
  progress: number;
  steps: Record<PackageStep, StepState>;
  /** The first {@link maxFindings}. */
  findings: PackageFinding[];
}

/** Maximum findings in a report. */
export const maxFindings = 1000;

/** Maximum length of a message or name in a finding, in characters: both quote the package. */
const maxCharacters = 500;

/** Shortens the texts of a finding, because reports are read into memory as a whole. */
export function shorten({ file, message, ...finding }: PackageFinding): PackageFinding {
  return {
    ...finding,
    message: message.slice(0, maxCharacters),
    ...file !== undefined && { file: file.slice(0, maxCharacters) },
  };
}

/** Makes a report before the first step. */
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

/** Ends a report whose validation was stopped: the running step fails, and those after it are skipped. */
export function stoppedReport({ findings, steps }: PackageReport, rule: string, message: string): PackageReport {
  const at = Math.max(0, packageSteps.findIndex((step): boolean => steps[step] === 'Running'));
  const rest = packageSteps.slice(at).map((step, index): [PackageStep, StepState] =>
    [ step, index === 0 ? 'Failed' : 'Skipped' ]);
  return {
    progress: 100,
    steps: { ...steps, ...Object.fromEntries(rest) },
    findings: [ ...findings, { step: packageSteps[at], rule, message }],
  };
}

/** Checks whether every step has passed, or had nothing to check. */
export function isGood({ steps }: PackageReport): boolean {
  return packageSteps.every((step): boolean => [ 'Passed', 'Skipped' ].includes(steps[step]));
}
