import { NotAcceptable, PathUnknown } from '../problems';
import { preferredMediaType } from '../platform/accept';
import type { RepresentationAnswer } from '../http/Answer';
import { publicDocument, publicRepresentation } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { Services } from './Services';

type ListCall = Call<{ params: 'list' }>;

const hour = 3600;

/** Returns a linked-data artefact as Turtle or JSON-LD, whichever exists and the caller prefers. */
export function getArtefact({ path, headers }: Call, { artefacts }: Services): RepresentationAnswer {
  const forms = artefacts.find(path);
  if (!forms) {
    throw new PathUnknown();
  }
  const types = forms.map(({ contentType }): string => contentType);
  const type = preferredMediaType(headers.accept, types);
  const form = forms.find(({ contentType }): boolean => contentType === type);
  if (!form) {
    throw new NotAcceptable(`The media types are ${types.join(' and ')}.`);
  }
  return publicRepresentation({ ...form, size: form.body.length }, hour);
}

/** Returns the controller document of an issuer, with its public keys. */
export async function getKeyDocument({ path }: Call, { keyDocuments }: Services): Promise<RepresentationAnswer> {
  const document = await keyDocuments.get(path);
  if (!document) {
    throw new PathUnknown();
  }
  return publicDocument(JSON.stringify(document), 'application/ld+json', 60);
}

/** Returns a status list of access grants. */
export async function getGrantStatusList(
  { params: { list }}: ListCall,
  services: Services,
): Promise<RepresentationAnswer> {
  return statusList('grants', list, services);
}

/** Returns a status list of personal-data credentials. */
export async function getCredentialStatusList(
  { params: { list }}: ListCall,
  services: Services,
): Promise<RepresentationAnswer> {
  return statusList('credentials', list, services);
}

async function statusList(
  kind: 'grants' | 'credentials',
  listId: string,
  { statusLists }: Services,
): Promise<RepresentationAnswer> {
  const list = await statusLists.find(kind, listId);
  if (!list) {
    throw new PathUnknown();
  }
  return publicDocument(list.text, 'application/ld+json', 60);
}
