import type { IncomingHttpHeaders } from 'node:http';
import { schemaCompiler } from '../platform/jsonSchema';
import { readSettingFile } from '../platform/readSettingFile';
import { isUuid, uuidForm, uuidPattern } from '../platform/uuid';
import { OrganisationIdInvalid, OrganisationNotYours, RoleMissing, ScopeMissing } from '../problems';
import { parseSettings, settingsProblem } from '../sources/settings';
import type { Caller } from '../tokens/Caller';
import { isSameIssuer } from '../tokens/issuers';

/** Roles of organisations, which are also scopes of tokens. */
export const roles = [
  'MapRequestInitiator',
  'UnaOperator',
  'UnaReader',
  'UnaManager',
  'PdaManager',
  'RegistryManager',
] as const;

/** A role of an organisation. */
export type Role = typeof roles[number];

/** An organisation that may call, as the operator configured it. */
export interface Organisation {
  /** A UUID in lower case. */
  id: string;
  name: string;
  /** WebIDs or client ids that act for it. */
  clients: readonly string[];
  roles: readonly Role[];
}

/** Scopes of log-in, which say nothing about operations. */
const scopesOfLogIn = new Set([ 'openid', 'webid', 'profile', 'email', 'offline_access' ]);

/** Ids of client credentials of this server. Ids of apps, in which anybody can log in, are URLs or have no UUID. */
const credentialsId = new RegExp(`^[^:/]*_${uuidForm}$`, 'u');

const text = { type: 'string', minLength: 1, maxLength: 2048 };
const isGiven = schemaCompiler({ strictTypes: false }).compile<Organisation[]>({
  type: 'array',
  items: {
    type: 'object',
    properties: {
      id: { type: 'string', pattern: uuidPattern },
      name: text,
      clients: { type: 'array', items: text, uniqueItems: true },
      roles: { type: 'array', items: { enum: roles }, uniqueItems: true },
    },
    required: [ 'id', 'name', 'clients', 'roles' ],
    additionalProperties: false,
  },
});

/** The organisations that may call, and their clients. */
export class Organisations {
  private all: ReadonlyMap<string, Organisation>;

  /**
   * @param organisations - All of them.
   * @param claim - Claim in which a token names its organisation.
   * @param ownIssuer - This server's identity provider.
   */
  public constructor(
    organisations: readonly Organisation[],
    public readonly claim: string,
    private readonly ownIssuer: string,
  ) {
    this.all = byId(organisations);
  }

  /** Number of organisations. */
  public get size(): number {
    return this.all.size;
  }

  /** Returns the WebIDs and client ids that act for an organisation; none when it no longer exists. */
  public clientsOf(id: string): readonly string[] {
    return this.all.get(id)?.clients ?? [];
  }

  /** Replaces all organisations. */
  public adopt(organisations: readonly Organisation[]): void {
    this.all = byId(organisations);
  }

  /**
   * Finds the organisation that a caller acts for, with the roles that the scopes of the token allow.
   *
   * @param caller - Named by WebID, or by client id when its issuer is trusted for that; when it is this server, only
   * by the id of client credentials.
   * @param headers - With `organisationId`.
   * @param allowed - Accepted roles, one of which is enough; any role when empty.
   *
   * @throws OrganisationIdInvalid, OrganisationNotYours, RoleMissing, ScopeMissing
   */
  public admit(caller: Caller, headers: IncomingHttpHeaders, allowed: readonly Role[]): Organisation {
    const id = headers.organisationid;
    if (typeof id !== 'string' || !isUuid(id)) {
      throw new OrganisationIdInvalid();
    }
    const organisation = this.all.get(id.toLowerCase());
    const named = caller.claims?.[this.claim];
    if (!organisation || !this.actsFor(caller, organisation) ||
      (named !== undefined && (typeof named !== 'string' || named.toLowerCase() !== organisation.id))) {
      throw new OrganisationNotYours();
    }
    const held = organisation.roles.filter((role): boolean => allowed.length === 0 || allowed.includes(role));
    if (held.length === 0) {
      throw new RoleMissing(`One of these roles is needed: ${(allowed.length > 0 ? allowed : roles).join(', ')}.`);
    }
    const scopes = scopesOf(caller);
    if (scopes && !held.some((role): boolean => scopes.includes(role))) {
      throw new ScopeMissing(`The scope of the token must contain ${held.join(' or ')}.`);
    }
    return scopes ?
        { ...organisation, roles: organisation.roles.filter((role): boolean => scopes.includes(role)) } :
      organisation;
  }

  private actsFor(caller: Caller, { clients }: Organisation): boolean {
    const { app, webId } = caller;
    return (webId !== undefined && clients.includes(webId)) ||
      (app !== undefined && this.isClient(caller) && clients.includes(app));
  }

  /**
   * Checks whether the client of a token has authenticated, as far as is known: people who log in to an app here can
   * take its code, and redeem it themselves.
   */
  private isClient({ app = '', issuer, issuerListed }: Caller): boolean {
    return issuerListed === true && (!isSameIssuer(issuer, this.ownIssuer) || credentialsId.test(app));
  }
}

/**
 * Reads the file of `--organisations`.
 *
 * @throws Error that names the flag, or the file and the member.
 */
export async function readOrganisations(file: string): Promise<Organisation[]> {
  const given = parseSettings(file, await readSettingFile('--organisations', file));
  if (!isGiven(given)) {
    throw settingsProblem(file, isGiven.errors);
  }
  const organisations = given.map((organisation): Organisation =>
    ({ ...organisation, id: organisation.id.toLowerCase() }));
  const again = organisations.findIndex(({ id }, index): boolean =>
    organisations.findIndex((other): boolean => other.id === id) < index);
  if (again !== -1) {
    throw new Error(`${file}: /${again}/id is that of another organisation, too`);
  }
  return organisations;
}

/** Returns the scopes of a token; `undefined` when none is about operations. */
function scopesOf({ claims }: Caller): string[] | undefined {
  const scope = claims?.scope;
  const list: unknown[] = Array.isArray(scope) ? scope : [ scope ];
  const given = list.flatMap((names): string[] => typeof names === 'string' ? names.split(' ') : []);
  const told = given.filter((name): boolean => name !== '' && !scopesOfLogIn.has(name));
  return told.length > 0 ? told : undefined;
}

function byId(organisations: readonly Organisation[]): ReadonlyMap<string, Organisation> {
  return new Map(organisations.map((organisation): [string, Organisation] => [ organisation.id, organisation ]));
}
