import { readFileSync } from 'node:fs';
import { contextFiles, CONTEXTS } from '../platform/contextFiles';
import { isRecord } from '../platform/isRecord';
import { parseOwn } from '../platform/ownJson';
import type { NodeShape } from './Shape';
import { allProperties } from './Shape';

/**
 * Finds members of a record that its data type does not know because the context of credentials already defines their
 * names. Its terms, such as `name`, are protected, so no `@vocab` of the record applies to them.
 *
 * @param shape - Shape of the record.
 * @param json - JSON-LD of its subject.
 * @param pointer - JSON Pointer to it.
 *
 * @returns A message for each, with its JSON Pointer.
 *
 * @see [VC Data Model 2.0, Base Context](https://www.w3.org/TR/vc-data-model-2.0/#base-context)
 */
export function findTermsOfCredentials(shape: NodeShape, json: unknown, pointer: string): string[] {
  const paths = new Set(allProperties(shape).map(({ path }): string => path));
  const taken = new Map([ ...readTerms() ].filter(([ , iri ]): boolean => !paths.has(iri)));
  return find(taken, json, pointer);
}

function find(taken: ReadonlyMap<string, string>, json: unknown, pointer: string): string[] {
  if (Array.isArray(json)) {
    return json.flatMap((item, index): string[] => find(taken, item, `${pointer}/${index}`));
  }
  const members = Object.entries(isRecord(json) ? json : {}).filter(([ name ]): boolean => name !== '@context');
  return members.flatMap(([ name, value ]): string[] => {
    const place = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const iri = taken.get(name);
    const line = `${place}: in a credential, ${name} means <${iri}>, which the data type does not have: ` +
      'write the whole IRI of your property, or give it another name';
    return [ ...iri === undefined ? [] : [ line ], ...find(taken, value, place) ];
  });
}

/** Returns the properties that the context of credentials defines everywhere, by their names. */
export function readTerms(): Map<string, string> {
  const document = parseOwn<Record<string, Record<string, unknown>>>(
    readFileSync(contextFiles[CONTEXTS.credentialsV2], 'utf8'),
  );
  const definitions = Object.entries(document['@context']);
  return new Map(definitions.flatMap(([ name, definition ]): [string, string][] => {
    const iri = isRecord(definition) ? definition['@id'] : definition;
    return typeof iri === 'string' && /^[a-z]/u.test(name) && !iri.startsWith('@') ? [[ name, iri ]] : [];
  }));
}
