import { PathUnknown } from '../problems';
import type { RepresentationAnswer } from '../http/Answer';
import { publicDocument, registerBytes } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { DataUser } from '../contracts/DataUsers';
import type { Services } from './Services';

/** Finds the description of the data user with a WebID, as a list of one or none. */
export function findDataUsers(
  { query }: Call<{ query: { webid: string }}>,
  { dataUsers }: Services,
): RepresentationAnswer {
  const found = dataUsers.find(query.webid);
  return publicDocument(JSON.stringify({ dataUsers: found ? [ onWire(found) ] : []}), 'application/json', 60);
}

/** Returns the logo of a data user. */
export function getDataUserLogo(
  { params, site }: Call<{ params: 'name' }>,
  { dataUsers }: Services,
): RepresentationAnswer {
  const uri = `${site.baseUrl}v1/data-users/${params.name}`;
  const logo = dataUsers.list().find((dataUser): boolean => dataUser.uri === uri)?.logo;
  if (!logo) {
    throw new PathUnknown();
  }
  return registerBytes(logo.bytes, logo.contentType);
}

function onWire(
  { uri, webId, names, definitions, logo, contacts, privacyStatement, redirectUris, agreement }: DataUser,
): object {
  return {
    uri,
    webId,
    names,
    descriptions: definitions,
    logo: logo && `${uri}/logo`,
    contacts,
    privacyStatement,
    redirectUris,
    agreement,
  };
}
