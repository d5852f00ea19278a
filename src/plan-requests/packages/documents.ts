import { join } from 'node:path';
import { messageOf } from '../../platform/errors';
import { readRegularFileSync } from '../../platform/readRegularFile';
import { isRecord } from '../../platform/isRecord';
import { opened } from '../../platform/opened';
import { ElementReader } from './ElementReader';
import type { Xml } from './ElementReader';
import { keepFirstErrors } from './keepFirstErrors';
import type { NetworkElement } from './NetworkElement';
import type { OpenNetworkModel } from './NetworkModel';
import type { PackageFinding } from './Report';

/** An error of the library, with details when a document violates its schema. */
interface FailedCheck {
  details?: { message: string; line: number }[];
}

/** A document of a package, parsed. */
export interface NetworkDocument {
  elements: NetworkElement[];
  findings: PackageFinding[];
}

/** Maximum bytes of a document, which is in memory as a tree. */
export const maxDocumentBytes = 16 * 1024 * 1024;

/** Reads documents of packages, and checks them against the schema of a model. */
export class DocumentReader {
  private constructor(
    private readonly xml: Xml,
    private readonly validator: InstanceType<Xml['XsdValidator']>,
    private readonly model: OpenNetworkModel,
  ) {}

  /**
   * Loads the schema of a model.
   *
   * @throws Error when it is not a schema.
   */
  public static async open(model: OpenNetworkModel): Promise<DocumentReader> {
    const xml: Xml = await import('libxml2-wasm');
    const { xmlRegisterFsInputProviders } = await import('libxml2-wasm/lib/nodejs.mjs');
    keepFirstErrors(await import('libxml2-wasm/lib/libxml2.mjs'));
    const path = join(model.folder, model.schema);
    // Only the schema may read files: a document that refers to files gets none.
    xmlRegisterFsInputProviders();
    try {
      const schema = xml.XmlDocument.fromBuffer(readRegularFileSync(path), { url: path });
      return new DocumentReader(xml, xml.XsdValidator.fromDoc(schema), model);
    } finally {
      xml.xmlCleanupInputProvider();
    }
  }

  /**
   * Reads a document. It may have no document type, and so no entities; nothing is fetched; its depth is limited to the
   * library's 256.
   */
  public read(file: string, bytes: Buffer): NetworkDocument {
    const findings: PackageFinding[] = [];
    const fault = findTextFault(bytes);
    if (fault) {
      return { elements: [], findings: [{ step: 'Schema', file, ...fault }]};
    }
    let document: InstanceType<Xml['XmlDocument']>;
    try {
      const { XML_PARSE_BIG_LINES: bigLines, XML_PARSE_NO_XXE: noOutside, XML_PARSE_NONET: noNetwork } =
        this.xml.ParseOption;
      document = this.xml.XmlDocument.fromBuffer(bytes, { option: noOutside | noNetwork | bigLines });
    } catch (error: unknown) {
      return { elements: [], findings: findingsOf(error, file, 'xml-malformed') };
    }
    try {
      if (document.root.namespaceUri !== this.model.namespace) {
        const message = `It does not follow version ${this.model.version} of the model, whose namespace is ` +
          `${this.model.namespace}.`;
        return { elements: [], findings: [{ step: 'Schema', rule: 'model-version', message, file, line: 1 }]};
      }
      try {
        this.validator.validate(document);
      } catch (error: unknown) {
        findings.push(...findingsOf(error, file, 'schema-invalid'));
      }
      const elements = findings.length > 0 ? [] : new ElementReader(this.xml, this.model, file).read(document.root);
      return { elements, findings };
    } finally {
      document.dispose();
    }
  }
}

const notUtf8 = { rule: 'encoding', message: 'A document must be in UTF-8.', line: 1 };

/** Refuses a text that is not in UTF-8, declares another encoding, or has a document type. */
function findTextFault(bytes: Buffer): Pick<PackageFinding, 'line' | 'message' | 'rule'> | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return notUtf8;
  }
  // UTF-16 without a byte order mark.
  if (text.includes('\0')) {
    return notUtf8;
  }
  const [ , declared ] = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.-]+)["']/u.exec(text) ?? [];
  if (declared !== undefined && !/^utf-?8$|^us-ascii$/iu.test(declared)) {
    return { rule: 'encoding', message: `A document must be in UTF-8, not in ${declared}.`, line: 1 };
  }
  const at = text.search(/<!(?:DOCTYPE|ENTITY)/u);
  return at === -1 ?
    undefined :
      {
        rule: 'document-type',
        message: 'A document must not have a document type or entities.',
        line: text.slice(0, at).split('\n').length,
      };
}

function findingsOf(error: unknown, file: string, rule: string): PackageFinding[] {
  const details = isRecord(error) ? opened<FailedCheck>(error).details : undefined;
  const told = details ?? [{ message: messageOf(error), line: 1 }];
  return told.slice(0, 100).map(({ message, line }): PackageFinding =>
    ({ step: 'Schema', rule, message: message.trim().slice(0, 500), file, line: Math.max(1, line) }));
}
