/**
 * Access rules of a resource and its contents: all rights for its owner, some for everybody.
 *
 * @param isAcp - True for ACP, false for WAC.
 * @param place - The resource.
 * @param owner - WebID of its owner.
 * @param modes - Rights of everybody, as in `acl:Read, acl:Append`; may be empty.
 */
export function accessRules(isAcp: boolean, place: string, owner: string, modes: string): string {
  return isAcp ? acr(place, owner, modes) : acl(place, owner, modes);
}

function acl(place: string, owner: string, modes: string): string {
  const everybody = `<#public> a acl:Authorization; acl:agentClass <http://xmlns.com/foaf/0.1/Agent>;
  acl:accessTo <${place}>; acl:default <${place}>; acl:mode ${modes}.`;
  return `@prefix acl: <http://www.w3.org/ns/auth/acl#>.
<#owner> a acl:Authorization; acl:agent <${owner}>; acl:accessTo <${place}>; acl:default <${place}>;
  acl:mode acl:Read, acl:Write, acl:Control.
${modes === '' ? '' : everybody}`;
}

function acr(place: string, owner: string, modes: string): string {
  const everybody = `<#p> acp:apply [ acp:allow ${modes}; acp:anyOf [ acp:agent acp:PublicAgent ] ].`;
  const controls = modes === '' ? '<#o>' : '<#o>, <#p>';
  return `@prefix acl: <http://www.w3.org/ns/auth/acl#>. @prefix acp: <http://www.w3.org/ns/solid/acp#>.
<#r> a acp:AccessControlResource; acp:resource <${place}>; acp:accessControl ${controls};
  acp:memberAccessControl ${controls}.
<#o> acp:apply [ acp:allow acl:Read, acl:Write, acl:Control; acp:anyOf [ acp:agent <${owner}> ] ].
${modes === '' ? '' : everybody}`;
}

/**
 * ACP rules that let everybody read a resource, in nested parts that are all shared by the layer above.
 *
 * @param place - The resource.
 * @param width - Number of parts of each part, in each of five layers.
 */
export function sharedRules(place: string, width: number): string {
  const controls = names('c', width).join(',');
  return `@prefix acl: <http://www.w3.org/ns/auth/acl#>. @prefix acp: <http://www.w3.org/ns/solid/acp#>.
<#r> acp:resource <${place}>, ${names('r', width).join(',')}; acp:accessControl ${controls};
  acp:memberAccessControl ${controls}.
${layer('c', 'apply', names('p', width))}
${layer('p', 'allow acl:Read; acp:anyOf', names('m', width))}
${layer('m', 'agent acp:PublicAgent; acp:agent', names('a', width))}`;
}

function names(letter: string, width: number): string[] {
  return Array.from({ length: width }, (_, index): string => `<#${letter}${index}>`);
}

/** Gives all parts whose names begin with a letter the same parts. */
function layer(letter: string, predicate: string, parts: string[]): string {
  return names(letter, parts.length).map((name): string => `${name} acp:${predicate} ${parts.join(',')}.`).join('\n');
}
