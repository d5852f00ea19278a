/**
 * Access rules in which the owner has all rights, another agent and everybody some: as `{#WAC …#}` for one access
 * system, and as `{#ACP …#}` for the other.
 *
 * @param others - Modes of the other agent, such as `acl:Read, acl:Append`, or nothing.
 * @param everybodys - Modes of everybody.
 * @param isInherited - Applies them to the contents of the resource as well.
 */
export function rulesFor(others: string, everybodys: string, isInherited: boolean): string {
  const agents: [string, string, string][] = [
    [ 'acl:agent <{owner}>', 'acp:agent <{owner}>', 'acl:Read, acl:Write, acl:Control' ],
    [ 'acl:agent <{other}>', 'acp:agent <{other}>', others ],
    [ 'acl:agentClass <http://xmlns.com/foaf/0.1/Agent>', 'acp:agent acp:PublicAgent', everybodys ],
  ];
  const given = agents.filter(([ , , modes ]): boolean => modes !== '');
  const wac = given.map(([ agent, , modes ], index): string => authorization(index, agent, modes, isInherited));
  const acp = given.map(([ , agent, modes ]): string => accessControl(agent, modes));
  return [
    '@prefix acl: <http://www.w3.org/ns/auth/acl#>. @prefix acp: <http://www.w3.org/ns/solid/acp#>.',
    `{#WAC ${wac.join('\n')}#}`,
    `{#ACP ${accessControlResource(acp, isInherited)}#}`,
  ].join('\n');
}

function authorization(index: number, agent: string, modes: string, isInherited: boolean): string {
  const places = `acl:accessTo <{subject}>${isInherited ? '; acl:default <{subject}>' : ''}`;
  return `<#${index}> a acl:Authorization; ${agent}; ${places}; acl:mode ${modes} .`;
}

function accessControl(agent: string, modes: string): string {
  const policy = `[ a acp:Policy; acp:allow ${modes}; acp:anyOf [ a acp:Matcher; ${agent} ] ]`;
  return `[ a acp:AccessControl; acp:apply ${policy} ]`;
}

function accessControlResource(controls: string[], isInherited: boolean): string {
  const own = `acp:accessControl ${controls.join(', ')}`;
  const members = isInherited ? `; acp:memberAccessControl ${controls.join(', ')}` : '';
  return `<> a acp:AccessControlResource; acp:resource <{subject}>; ${own}${members} .`;
}
