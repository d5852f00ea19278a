import type { Polygons } from '../geometry/polygons';
import type { OpenArchive, PackageFile } from './archive';
import { openArchive } from './archive';
import { DocumentReader, maxDocumentBytes } from './documents';
import type { NetworkElement } from './NetworkElement';
import type { OpenNetworkModel } from './NetworkModel';
import type { PackageFinding, PackageReport, StepState } from './Report';
import { maxFindings, newReport, packageSteps, shorten } from './Report';
import { validateCoordinates, validateElements, validateNames, validateProximity } from './rules';
import { verifyPackageSignature } from './signature';

/** A package to validate, and everything that the validation depends on. */
export interface PackageTask {
  /** Path of the zip file. */
  path: string;
  model: OpenNetworkModel;
  /** Subject of the signing certificate; absent when packages are not signed. */
  subject?: string;
  /** Certificates of authorities, as PEM. */
  authorities: readonly string[];
  /** Zone of the plan request in EPSG:31370; absent for a test without one. */
  zone?: Polygons;
  now: Date;
}

/** A task for a signed package. */
type SignedTask = PackageTask & { subject: string };

/** Maximum elements of all documents, far above any answer to one plan request. */
const maxElements = 1_000_000;
/** Share of the first step, which reads everything, in the progress. */
const archiveShare = 60;

/**
 * Validates a package step by step; after a step fails, the rest are skipped.
 *
 * @param task - The package.
 * @param onProgress - Receives reports of progress.
 */
export async function validatePackage(
  task: PackageTask,
  onProgress: (report: PackageReport) => void,
): Promise<PackageReport> {
  const { subject, zone } = task;
  const report = newReport();
  const archive: { current?: OpenArchive } = {};
  const elements: NetworkElement[] = [];
  let files: PackageFile[] = [];
  let names: string[] = [];
  /** In the order of {@link packageSteps}; `undefined` when there is nothing to check. */
  const steps: ((() => Promise<PackageFinding[]>) | undefined)[] = [
    async(): Promise<PackageFinding[]> => {
      archive.current = await openArchive(task.path, (part): void => {
        const progress = Math.floor(part * archiveShare);
        if (progress > report.progress) {
          report.progress = progress;
          onProgress(report);
        }
      });
      ({ files, names } = archive.current);
      return archive.current.findings;
    },
    async(): Promise<PackageFinding[]> => validateNames(names),
    subject === undefined ?
      undefined :
      async(): Promise<PackageFinding[]> => validateSignature(files, { ...task, subject }),
    async(): Promise<PackageFinding[]> => readDocuments(files, task.model, elements),
    async(): Promise<PackageFinding[]> => validateElements(elements, files),
    async(): Promise<PackageFinding[]> => validateCoordinates(elements),
    zone && (async(): Promise<PackageFinding[]> => validateProximity(elements, zone)),
  ];
  try {
    for (const [ index, name ] of packageSteps.entries()) {
      report.steps[name] = 'Running';
      onProgress(report);
      report.steps[name] = await runStep(report, steps[index]);
      const rest = (index + 1) / packageSteps.length;
      report.progress = Math.max(report.progress, Math.floor(archiveShare + ((100 - archiveShare) * rest)));
    }
  } finally {
    archive.current?.close();
  }
  return { ...report, progress: 100 };
}

async function runStep(report: PackageReport, step: (() => Promise<PackageFinding[]>) | undefined): Promise<StepState> {
  if (!step || report.findings.length > 0) {
    return 'Skipped';
  }
  const findings = await step();
  report.findings.push(...findings.slice(0, maxFindings).map(shorten));
  return findings.length > 0 ? 'Failed' : 'Passed';
}

async function validateSignature(files: PackageFile[], task: SignedTask): Promise<PackageFinding[]> {
  const fault = await verifyPackageSignature(files, task);
  return fault === undefined ? [] : [{ step: 'Signature', rule: 'signature-invalid', message: fault }];
}

async function readDocuments(
  files: PackageFile[],
  model: OpenNetworkModel,
  elements: NetworkElement[],
): Promise<PackageFinding[]> {
  const documents = files.filter(({ name }): boolean => /\.(?:xml|gml)$/iu.test(name));
  if (documents.length === 0) {
    const message = 'A package has a document of network data (.xml, .gml).';
    return [{ step: 'Schema', rule: 'document-missing', message }];
  }
  const reader = await DocumentReader.open(model);
  const findings: PackageFinding[] = [];
  for (const { name, read, size } of documents) {
    if (size > maxDocumentBytes) {
      const message = `A document has at most ${maxDocumentBytes} bytes.`;
      findings.push({ step: 'Schema', rule: 'document-too-large', message, file: name });
      continue;
    }
    const document = reader.read(name, await read());
    findings.push(...document.findings);
    for (const element of document.elements) {
      elements.push(element);
    }
    if (elements.length > maxElements) {
      const message = `A package has at most ${maxElements} elements.`;
      return [ ...findings, { step: 'Schema', rule: 'elements-too-many', message, file: name }];
    }
  }
  return findings;
}
