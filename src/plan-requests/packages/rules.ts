import type { Polygons, Position } from '../geometry/polygons';
import { convert, isPlausible, lambert72 } from '../geometry/systems';
import type { PackageFile } from './archive';
import { withinOf } from './distance';
import type { Line, NetworkElement, Reference } from './NetworkElement';
import type { PackageFinding, PackageStep } from './Report';

/** Maximum distance from the zone of the plan request to the nearest network element. */
const nearMetres = 500;

/** First bytes of attachments by media type; text types have none. */
const mediaTypes: ReadonlyMap<string, RegExp> = new Map([
  [ 'application/pdf', /^25504446/u ],
  [ 'image/png', /^89504e47/u ],
  [ 'image/jpeg', /^ffd8ff/u ],
  [ 'image/tiff', /^(?:49492a00|4d4d002a)/u ],
  [ 'text/plain', /^(?!25504446|89504e47|ffd8ff|49492a00|4d4d002a)/u ],
]);

function finding(
  step: PackageStep,
  rule: string,
  message: string,
  { file, line }: { file: string; line?: number },
): PackageFinding {
  return { step, rule, message, file, ...line !== undefined && { line }};
}

/** Checks that names of files and folders have only letters, digits, spaces and `-`, `_`, `.`, `+`, `!`, `(`, `)`. */
export function validateNames(names: readonly string[]): PackageFinding[] {
  return names.filter((name): boolean => !/^[\w \-.+!()/]+$/u.test(name)).map((file): PackageFinding =>
    finding('Names', 'name-characters', 'A name has only a-z A-Z 0-9 - _ space . + ! ( ).', { file }));
}

/**
 * Checks that references resolve, that every link belongs to a network element, and that attachments exist as declared.
 */
export function validateElements(elements: readonly NetworkElement[], files: readonly PackageFile[]): PackageFinding[] {
  /** Documents by the ids of their elements. */
  const ids = new Map<string, string>();
  const findings: PackageFinding[] = [];
  for (const element of elements) {
    const { id } = element;
    if (id !== undefined) {
      if (ids.has(id)) {
        findings.push(finding('Rules', 'id-twice', `Two elements have the id ${id}.`, element));
      }
      ids.set(id, element.file);
    }
  }
  const byName = new Map(files.map((file): [string, PackageFile] => [ file.name, file ]));
  const linked = new Set(elements.flatMap(({ kind, references }): string[] =>
    kind === 'network' ? idsOf(references) : []));
  for (const element of elements) {
    for (const { file, id } of element.references) {
      if (!ids.has(id) || (file !== undefined && ids.get(id) !== file)) {
        const message = `There is no element ${id}${file === undefined ? '' : ` in ${file}`}.`;
        findings.push(finding('Rules', 'reference-unresolved', message, element));
      }
    }
    if (element.kind === 'link' && !linked.has(element.id ?? '')) {
      findings.push(finding('Rules', 'link-unreferenced', 'No cable or pipe refers to this link.', element));
    }
    findings.push(...validateAttachment(element, byName));
  }
  return findings;
}

function idsOf(references: readonly Reference[]): string[] {
  return references.map(({ id }): string => id);
}

function validateAttachment(element: NetworkElement, files: ReadonlyMap<string, PackageFile>): PackageFinding[] {
  const { attachment } = element;
  if (!attachment) {
    return [];
  }
  const file = files.get(attachment.file);
  if (!file) {
    return [ finding('Rules', 'attachment-missing', `There is no file ${attachment.file}.`, element) ];
  }
  // Media types have no case.
  const isKnown = mediaTypes.get(attachment.mediaType.toLowerCase())?.test(file.head.toString('hex')) ?? false;
  const message = `The file is not ${attachment.mediaType}, or its type is not accepted.`;
  return isKnown ? [] : [ finding('Rules', 'attachment-type', message, element) ];
}

/** Checks that coordinates are in Belgium, in a known system. */
export function validateCoordinates(elements: readonly NetworkElement[]): PackageFinding[] {
  return elements.flatMap(({ lines }): Line[] => lines).flatMap((line): PackageFinding[] => {
    const { positions, srs, srsName } = line;
    if (!srs) {
      return [ finding('Coordinates', 'system-unknown', `${srsName} is neither EPSG:31370 nor EPSG:3812.`, line) ];
    }
    const isGood = positions.length > 0 && positions.every((position): boolean =>
      position.every(Number.isFinite) && isPlausible(position, srs));
    return isGood ?
        [] :
        [ finding('Coordinates', 'coordinates-implausible', `These are not coordinates of ${srs} in Belgium.`, line) ];
  });
}

/**
 * Checks that at least one network element is within 500 m of a zone.
 *
 * @param elements - All elements.
 * @param zone - In EPSG:31370.
 */
export function validateProximity(elements: readonly NetworkElement[], zone: Polygons): PackageFinding[] {
  const isNearZone = withinOf(zone, nearMetres);
  for (const { positions, srs } of linesOfNetworks(elements)) {
    if (isNearZone(toLambert72(positions, srs))) {
      return [];
    }
  }
  return [{
    step: 'Proximity',
    rule: 'nothing-near',
    message: `No cable, pipe or similar element is within ${nearMetres} m of the plan request zone.`,
  }];
}

/** Collects the lines of network elements and of those that they refer to: each once, however many refer to it. */
function linesOfNetworks(elements: readonly NetworkElement[]): Line[] {
  const byId = new Map(elements.map((element): [string, NetworkElement] => [ element.id ?? '', element ]));
  const networks = elements.filter(({ kind }): boolean => kind === 'network');
  const referred = networks.flatMap(({ references }): NetworkElement[] =>
    idsOf(references).flatMap((id): NetworkElement | [] => byId.get(id) ?? []));
  return [ ...new Set([ ...networks, ...referred ]) ].flatMap(({ lines }): Line[] => lines);
}

function toLambert72(positions: Position[], srs: Line['srs']): readonly Position[] {
  // An unknown system was a finding of the step before.
  return convert([[ positions ]], srs!, lambert72)[0][0];
}
