/* eslint-disable jest/no-standalone-expect -- steps of a model */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { CopyEntry } from '../../../../src/data-copies/CopyEntry';
import { DataCopyService } from '../../../../src/data-copies/DataCopyService';
import type { AccessGrant } from '../../../../src/grants/AccessGrant';
import { GrantService } from '../../../../src/grants/GrantService';
import type { Records } from '../../../../src/platform/Records';
import type { ResourceUri } from '../../../../src/pods/resourceUri';
import type { Stores } from '../../../../src/storage/Stores';
import type { ProofOutcome } from '../../../../src/tokens/ProofStore';
import { parseWebId } from '../../../../src/platform/webId';
import { context, iris } from '../../../support/sharingBench';
import { array, assert, asyncProperty, constantFrom, integer, record } from '../../../support/properties';
import { later, now, places } from '../places';
import type { Place } from '../places';

const base = 'https://pods.example/';

/** One person, as far as access decisions go: one grant of theirs, their pod and their tokens. */
interface Person {
  id: string;
  webId: string;
  podUrl: string;
  grant: AccessGrant;
  recipient: string;
  // The model
  isRevoked: boolean;
  isSuspended: boolean;
  isOwner: boolean;
  endedAt?: number;
  used: Set<number>;
}

type Change = 'end' | 'own' | 'proof' | 'resume' | 'revoke' | 'suspend' | 'unown';

/** A change by one of the nodes. */
interface Step {
  node: number;
  change: Change;
  /** Number of a proof. */
  jti: number;
}

const step = record<Step>({
  node: integer({ min: 0, max: 1 }),
  change: constantFrom('end', 'own', 'proof', 'resume', 'revoke', 'suspend', 'unown'),
  jti: integer({ min: 0, max: 3 }),
});

function newPerson(): Person {
  const id = randomUUID();
  const podUrl = `${base}${id}/`;
  const webId = parseWebId(`${podUrl}profile/card#me`);
  const recipient = parseWebId(`${base}consumers/${id}#me`);
  const grant: AccessGrant = {
    id,
    uri: `${base}.access/vc/${id}`,
    kind: 'grant',
    subject: webId,
    recipient,
    modes: [ 'Read' ],
    resources: [ `${podUrl}report` ],
    purposes: [ 'https://p.example/' ],
    inherit: false,
    status: { listId: id, index: 7 },
    issuedAt: now,
    document: '{}',
  };
  return { id, webId, podUrl, grant, recipient, isRevoked: false, isSuspended: false, isOwner: false, used: new Set() };
}

describe.each(places)('Two nodes on %s', (_engine, makePlace): void => {
  let place: Place;
  let nodes: Records<Stores>[];

  beforeAll(async(): Promise<void> => {
    place = await makePlace();
    nodes = [ (await place.open()).records, (await place.open()).records ];
  });

  afterAll(async(): Promise<void> => place.remove());

  const changes: Record<Change, (node: Records<Stores>, person: Person, step: Step) => Promise<void>> = {
    async revoke({ grants }, person): Promise<void> {
      await grants.revoke(person.id, now);
      person.isRevoked = true;
    },
    async suspend({ suspensions }, person): Promise<void> {
      await suspensions.suspend(person.recipient, now);
      person.isSuspended = true;
    },
    async resume({ suspensions }, person): Promise<void> {
      await suspensions.resume(person.recipient);
      person.isSuspended = false;
    },
    async own({ podOwners }, person): Promise<void> {
      await podOwners.set(person.podUrl, [ person.webId ]);
      person.isOwner = true;
    },
    async unown({ podOwners }, person): Promise<void> {
      await podOwners.set(person.podUrl, []);
      person.isOwner = false;
    },
    async end({ endedTokens }, person): Promise<void> {
      const at = (person.endedAt ?? now.getTime()) + 1000;
      await endedTokens.end([ person.webId ], new Date(at));
      person.endedAt = at;
    },
    /** Offered to both at once. */
    async proof(...[ , person, { jti }]): Promise<void> {
      const outcomes = await Promise.all([ 0, 1, 0, 1 ].map(async(node): Promise<ProofOutcome> =>
        nodes[node].proofs.remember(person.webId, String(jti), later(60), now)));
      const fresh = outcomes.filter((outcome): boolean => outcome === 'fresh').length;
      expect(fresh).toBe(person.used.has(jti) ? 0 : 1);
      person.used.add(jti);
    },
  };

  /** Expects that a node finds the state of the model by every look-up. */
  async function expectSeen(records: Records<Stores>, person: Person): Promise<void> {
    const { endedTokens, grants, podOwners, usableGrants } = records;
    const places = [ base, person.podUrl ];
    const [ terms, presented, usable, isOwner, owners, endedAt ] = await Promise.all([
      grants.findTerms(person.id),
      usableGrants.findPresented(person.id, places),
      usableGrants.listUsable(parseWebId(person.recipient), [ `${person.podUrl}report`, person.podUrl ], now),
      podOwners.isOwnerOfAny(parseWebId(person.webId), places),
      podOwners.ownersOfAny(places),
      endedTokens.endedAt([ person.webId, person.recipient ]),
    ]);
    expect({
      isRevoked: terms?.revokedAt !== undefined,
      isSuspended: terms?.suspendedAt !== undefined,
      usable: usable.map(({ id, suspendedAt }): unknown => [ id, suspendedAt !== undefined ]),
      presented: presented?.terms,
      isOfOwner: presented?.isOfOwner,
      isOwner,
      owners,
      endedAt: endedAt?.getTime(),
    }).toEqual({
      isRevoked: person.isRevoked,
      isSuspended: person.isSuspended,
      usable: person.isRevoked ? [] : [[ person.id, person.isSuspended ]],
      presented: terms,
      isOfOwner: person.isOwner,
      isOwner: person.isOwner,
      owners: person.isOwner ? [ person.webId ] : [],
      endedAt: person.endedAt,
    });
  }

  it('see changes by either immediately, whatever else happens.', async(): Promise<void> => {
    const stories = array(array(step, { maxLength: 6 }), { minLength: 1, maxLength: 8 });
    await assert(asyncProperty(stories, async(all): Promise<void> => {
      await Promise.all(all.map(async(steps): Promise<void> => {
        const person = newPerson();
        await nodes[0].grants.insert(person.grant);
        for (const one of steps) {
          await changes[one.change](nodes[one.node], person, one);
          // SQLite notices other processes in the next turn of the event loop.
          await setImmediate();
          await Promise.all(nodes.map(async(node): Promise<void> => expectSeen(node, person)));
        }
      }));
    }), { numRuns: 40 });
  }, 120_000);

  /** Returns the types of the audit rows about a subject. */
  async function recorded(uri: string): Promise<string[]> {
    const rows = await nodes[1].audit.list(0, 10_000);
    return rows.filter(({ event }): boolean => JSON.stringify(event.personal ?? {}).includes(uri))
      .map(({ event }): string => event.type);
  }

  const settings = { baseUrl: base, now: (): Date => now, newId: randomUUID };

  it('revoke a grant once, with one event and one audit row.', async(): Promise<void> => {
    const { grant, recipient, webId } = newPerson();
    await nodes[0].grants.insert(grant);
    await setImmediate();
    const services = nodes.map((records): GrantService => new GrantService({ ...settings, records, iris }));
    const ended = await Promise.all([ 0, 1, 0, 1, 0, 1 ].map(async(node): Promise<unknown> =>
      (await services[node].revokeById(grant.id, parseWebId(webId), context)).revokedAt));
    expect(ended).toEqual(ended.map((): Date => now));
    const { events } = await nodes[1].events.list(parseWebId(recipient), 0, 9);
    expect(events.map(({ type }): string => type)).toEqual([ 'AccessRevoked' ]);
    await expect(recorded(grant.uri)).resolves.toEqual([ 'grant.revoked' ]);
  });

  it('record once that a copy is gone, and keep a simultaneous report.', async(): Promise<void> => {
    const { grant, recipient } = newPerson();
    await nodes[0].grants.insert(grant);
    await setImmediate();
    const [ resource ] = grant.resources;
    const services = nodes.map((records): DataCopyService => new DataCopyService({
      ...settings,
      records,
      decision: { check: async(): Promise<AccessGrant> => grant },
      gateway: { exists: async(): Promise<boolean> => true, findBytes: async(): Promise<undefined> => undefined },
    }));
    async function report(node: number, seconds: number): Promise<void> {
      const facts = { resource, accessGrant: grant.uri, storedAt: later(seconds).toISOString() };
      await services[node].report(facts, parseWebId(recipient), context);
    }
    await report(0, -9);
    const removals = [ 0, 1, 0, 1 ].map(async(node): Promise<CopyEntry> =>
      services[node].remove({ resource }, parseWebId(recipient), context));
    expect((await Promise.all(removals)).every(({ status }): boolean => status === 'DELETED')).toBe(true);
    await expect(recorded(resource)).resolves.toEqual([ 'copy.reported', 'copy.deleted' ]);
    await report(0, -8);
    await setImmediate();
    await Promise.all([ services[1].remove({ resource }, parseWebId(recipient), context), report(0, -7) ]);
    const copies = await nodes[1].dataCopies.listByKey(parseWebId(recipient), resource as ResourceUri);
    const closed = copies.filter(({ deletedAt }): boolean => deletedAt !== undefined);
    const types = await recorded(resource);
    expect(types.filter((type): boolean => type === 'copy.reported')).toHaveLength(copies.length);
    expect(types.filter((type): boolean => type === 'copy.deleted')).toHaveLength(closed.length);
  });

  it('handle values that fail a statement without failing those of others.', async(): Promise<void> => {
    const person = newPerson();
    await nodes[0].grants.insert(person.grant);
    await setImmediate();
    const [ found, ...others ] = await Promise.allSettled([ person.id, 'a\0b', '\uD800' ]
      .map(async(id): Promise<unknown> => nodes[1].grants.findTerms(id)));
    expect(found).toMatchObject({ status: 'fulfilled', value: { id: person.id }});
    // SQLite finds nothing, PostgreSQL refuses them.
    expect(others.every((other): boolean => !('value' in other && other.value))).toBe(true);
  });
});
