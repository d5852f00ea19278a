import type { Quad } from '@rdfjs/types';
import { joinUrl } from '@solid/community-server';
import type { ResourceIdentifier } from '@solid/community-server';
import { DataFactory } from 'n3';
import type { DocumentGuard, GuardedStatements } from '../../server/guarded/DocumentGuard';
import { citizenIdIn, podMadeHere } from '../../identity/podMadeHere';
import { PIM, SOLID } from '../../vocabulary';
import type { DataSharingRecords } from '../DataSharingRecords';
import { issuersOfEverybody } from '../../login/nationalIssuers';
import { parseWebId } from '../../platform/webId';

const predicates = [ SOLID.oidcIssuer, PIM.storage ];

/**
 * Guards the profile documents of citizens whose WebID was made here: their issuers and their storage stay as they are,
 * so that an app with write access cannot become the citizen at other servers.
 */
export class CitizenProfiles implements DocumentGuard {
  private readonly records: DataSharingRecords;
  private readonly baseUrl: string;
  private readonly nationalIssuers: string[];

  /**
   * @param records - Records of this package.
   * @param baseUrl - Base URL of the server.
   * @param nationalIssuers - Comma-separated URLs of the national issuers; one with a pattern is in no profile.
   */
  public constructor(records: DataSharingRecords, baseUrl: string, nationalIssuers: string) {
    this.records = records;
    this.baseUrl = joinUrl(baseUrl, '/');
    this.nationalIssuers = issuersOfEverybody(nationalIssuers);
  }

  public documentNear(resource: ResourceIdentifier): ResourceIdentifier | undefined {
    const id = citizenIdIn(resource.path, this.baseUrl);
    if (id === undefined) {
      return;
    }
    const path = podMadeHere(id, this.baseUrl).webId.replace(/#.*$/u, '');
    const subject = resource.path.replace(/\.(?:ac[lr]|meta)$/u, '');
    return subject === path || path.startsWith(subject) || subject.startsWith(`${path}/`) ? { path } : undefined;
  }

  public async statementsOf({ path }: ResourceIdentifier): Promise<GuardedStatements | undefined> {
    const { citizens } = await this.records.get();
    const citizen = await citizens.findByWebId(parseWebId(`${path}#me`));
    // While the pod is being made, documents and rules arrive in any order. A profile that the citizen brought is not
    // guarded.
    const isKept = citizen && !citizen.brought && citizen.state !== 'CREATING';
    return isKept ? this.statementsFor(citizen.webId, citizen.podUrl) : undefined;
  }

  /** Returns the statements that the profile of a WebID made here must keep. */
  public statementsFor(webId: string, podUrl: string): GuardedStatements {
    const issuers = new Set([ this.baseUrl, ...this.nationalIssuers ]);
    return {
      predicates,
      expected: [
        ...[ ...issuers ].map((issuer): Quad => statement(webId, SOLID.oidcIssuer, issuer)),
        statement(webId, PIM.storage, podUrl),
      ],
    };
  }
}

function statement(subject: string, predicate: string, object: string): Quad {
  return DataFactory.quad(
    DataFactory.namedNode(subject),
    DataFactory.namedNode(predicate),
    DataFactory.namedNode(object),
  );
}
