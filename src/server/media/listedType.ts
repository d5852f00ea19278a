import { ExtensionBasedMapper, getExtension } from '@solid/community-server';

const base = 'http://localhost/';
const mapper = new ExtensionBasedMapper(base, '/');

/**
 * Returns the media type of a document in the listing of its container: the one that its file name would imply, so that
 * listings are the same in every storage, without reading descriptions.
 *
 * @param path - Path of the document.
 * @param contentType - Type of the document, without parameters.
 */
export async function listedType(path: string, contentType: string): Promise<string> {
  const extension = getExtension(path);
  const name = /^\w+$/u.test(extension) ? `document.${extension}` : 'document';
  const { filePath } = await mapper.mapUrlToFilePath({ path: base + name }, false, contentType);
  return (await mapper.mapFilePathToUrl(filePath, false)).contentType ?? contentType;
}
