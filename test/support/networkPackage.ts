import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** Namespace of the shipped model. */
export const modelNamespace = 'urn:css-data-sharing:network-model:2.3';

/** A complete package as text: a pipe along two positions, with a plan as an attachment. */
export interface NetworkContent {
  /** Positions of the pipe in EPSG:31370. */
  posList?: string;
  srsName?: string;
  namespace?: string;
  /** XML instead of the usual elements. */
  elements?: string;
  /** Text before the root element. */
  prologue?: string;
}

/** The document of a package. */
export function networkDocument(content: NetworkContent = {}): string {
  const { namespace = modelNamespace, posList = '104000 193000 104100 193000', srsName = 'EPSG:31370' } = content;
  const elements = content.elements ?? `
  <UtilityLink id="link1" srsName="${srsName}">
    <posList>${posList}</posList>
  </UtilityLink>
  <Pipe id="pipe1">
    <link href="#link1"/>
    <attachment href="#plan1"/>
  </Pipe>
  <Attachment id="plan1" file="plans/plan 1.pdf" mediaType="application/pdf"/>`;
  const prologue = content.prologue ?? '<?xml version="1.0" encoding="UTF-8"?>';
  return `${prologue}\n<Network xmlns="${namespace}">${elements}\n</Network>\n`;
}

/** The files of a complete package. */
export function networkFiles(content: NetworkContent = {}): Record<string, string | Buffer> {
  return { 'network.xml': networkDocument(content), 'plans/plan 1.pdf': '%PDF-1.7 a plan' };
}

/** A zip of files. */
export async function zip(
  files: Record<string, string | Buffer>,
  compress = true,
  forceZip64Format = false,
): Promise<Buffer> {
  const made = new ZipFile();
  for (const [ name, content ] of Object.entries(files)) {
    made.addBuffer(Buffer.from(content as string), name, { compress });
  }
  made.end({ forceZip64Format, comment: '' });
  return buffer(made.outputStream);
}

/** A zip with each occurrence of a text replaced by one of the same length. */
export function patched(zipped: Buffer, from: string, to: string): Buffer {
  return Buffer.from(zipped.toString('latin1').replaceAll(from, to), 'latin1');
}
