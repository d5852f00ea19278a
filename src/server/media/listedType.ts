import { ExtensionBasedMapper, getExtension } from '@solid/community-server';

const base = 'http://localhost/';
const mapper = new ExtensionBasedMapper(base, '/');

/**
 * Media type of a document in the listing of its container: what the name of its file would show, so that listings are
 * the same wherever documents are kept, and no description is read for them.
 *
 * @param path - Of the document.
 * @param contentType - Of the document, without parameters.
 */
export async function listedType(path: string, contentType: string): Promise<string> {
  const extension = getExtension(path);
  const name = /^\w+$/u.test(extension) ? `document.${extension}` : 'document';
  const { filePath } = await mapper.mapUrlToFilePath({ path: base + name }, false, contentType);
  return (await mapper.mapFilePathToUrl(filePath, false)).contentType ?? contentType;
}
