import { operations } from '../../src/api/routes';

/** Resources of a citizen whose ids another person may know. */
export interface Possessions {
  webId: string;
  podId: string;
  nationalNumber: string;
  /** Last part of the URI of a shared resource. */
  resourceId: string;
  resource: string;
  /** Last part of the URI of the grant on it. */
  grantId: string;
  grant: string;
  /** The grant itself. */
  credential: unknown;
  valueId: string;
}

/** A request that refers to something of another person. */
export interface ForeignRequest {
  method: string;
  /** After the base URL. */
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  /**
   * `hidden`: refused with the same response as for ids that do not exist. `refused`: with a response that may differ,
   * because the request contains the whole credential. `empty`: successful, with nothing of the owner. `stated`:
   * accepted as a statement by the sender, which has no effect on the owner's resources.
   */
  outcome: 'hidden' | 'refused' | 'empty' | 'stated';
}

const acl = 'http://www.w3.org/ns/auth/acl#Read';

function consent(subject: string, resource: string): object {
  return {
    '@context': [ 'https://www.w3.org/2018/credentials/v1' ],
    type: [ 'VerifiableCredential', 'SolidAccessGrant' ],
    credentialSubject: {
      id: subject,
      providedConsent: {
        mode: [ acl ],
        hasStatus: 'https://w3id.org/GConsent#ConsentStatusExplicitlyGiven',
        forPersonalData: [ resource ],
        isProvidedTo: 'https://mallory.example/#me',
      },
    },
  };
}

/**
 * By operation: attempts of another person to read or change a citizen's data. The test fails for operations with a
 * caller that are not listed.
 */
export function foreignRequests(owner: Possessions): Record<string, ForeignRequest[]> {
  const { credential, grant, grantId, nationalNumber, podId, resource, resourceId, valueId, webId } = owner;
  const pod = `v1/pods/${podId}/resources`;
  const query = new URLSearchParams({ resource }).toString();
  const presented = { 'x-access-grant': grant };
  const [ get, post, remove ] = [ 'GET', 'POST', 'DELETE' ];
  return {
    getWebId: [{ method: get, path: 'v1/webids', outcome: 'empty' }],
    createWebId: [{ method: 'PUT', path: 'v1/webids', outcome: 'empty' }],
    listPersonalData: [{ method: get, path: 'v1/contracts/usual/data', outcome: 'empty' }],
    sharePersonalData: [{ method: post, path: 'v1/contracts/usual/data', body: [ valueId ], outcome: 'hidden' }],
    readResource: [{ method: get, path: `v1/resources?${query}`, headers: presented, outcome: 'hidden' }],
    listPodResources: [
      { method: get, path: pod, outcome: 'hidden' },
      { method: get, path: `${pod}?limit=1`, outcome: 'hidden' },
    ],
    readPodResource: [
      { method: get, path: `${pod}/${resourceId}`, outcome: 'hidden' },
      { method: get, path: `${pod}/${resourceId}?verified=true`, headers: presented, outcome: 'hidden' },
    ],
    summarisePodResource: [{ method: get, path: `${pod}/${resourceId}/summary`, outcome: 'hidden' }],
    revokeAccessGrant: [{ method: remove, path: `${pod}/${resourceId}/access-grants/${grantId}`, outcome: 'hidden' }],
    verifyBusinessKey: [{
      method: post,
      path: 'v1/verifications/business-key',
      body: {
        businessKey: { type: 'NATIONAL_NUMBER_BE', value: nationalNumber },
        accessGrantVc: JSON.stringify(credential),
      },
      outcome: 'refused',
    }],
    reportDataCopy: [
      { method: post, path: 'v1/data-copies', body: { resource, accessGrant: grant }, outcome: 'hidden' },
    ],
    removeDataCopy: [
      { method: remove, path: 'v1/data-copies', body: { resource }, outcome: 'hidden' },
      { method: remove, path: `v1/data-copies?${query}`, outcome: 'hidden' },
    ],
    listAccessGrants: [{ method: get, path: 'v1/access-grants', outcome: 'empty' }],
    getConsentReceipt: [{ method: get, path: `v1/access-grants/${grantId}/receipt`, outcome: 'hidden' }],
    listApps: [{ method: get, path: 'v1/apps', outcome: 'empty' }],
    logOutApp: [{ method: remove, path: `v1/apps/${grantId}`, outcome: 'hidden' }],
    listActivity: [{ method: get, path: 'v1/activity', outcome: 'empty' }],
    listEvents: [{ method: get, path: 'v1/events', outcome: 'empty' }],
    listSubscriptions: [{ method: get, path: 'v1/subscriptions', outcome: 'empty' }],
    createSubscription: [
      { method: post, path: 'v1/subscriptions', body: { endpoint: 'https://10.0.0.1/' }, outcome: 'refused' },
    ],
    getSubscription: [{ method: get, path: `v1/subscriptions/${grantId}`, outcome: 'hidden' }],
    removeSubscription: [{ method: remove, path: `v1/subscriptions/${grantId}`, outcome: 'hidden' }],
    replaySubscription: [{ method: post, path: `v1/subscriptions/${grantId}/replay`, body: {}, outcome: 'hidden' }],
    listDataCopies: [{ method: get, path: 'v1/data-copies', outcome: 'empty' }],
    getAccessCredential: [{ method: get, path: `.access/vc/${grantId}`, outcome: 'hidden' }],
    revokeAccessCredential: [{
      method: post,
      path: '.access/status',
      body: { credentialId: grant, credentialStatus: [{ type: 'RevocationList2020Status', status: '1' }]},
      outcome: 'hidden',
    }],
    queryAccessCredentials: [
      { method: get, path: `.access/query?${query}`, outcome: 'empty' },
      { method: get, path: `.access/query?${new URLSearchParams({ fromAgent: webId }).toString()}`, outcome: 'empty' },
    ],
    presentAccessCredentials: [{
      method: post,
      path: '.access/query',
      body: {
        query: [{ type: 'QueryByExample', credentialQuery: [{ example: consent(webId, resource) }]}],
      },
      outcome: 'empty',
    }],
    deriveAccessCredentials: [
      { method: post, path: '.access/derive', body: { verifiableCredential: credential }, outcome: 'empty' },
    ],
    // After the queries, which would return the statements.
    issueAccessCredential: [
      { method: post, path: '.access/issue', body: { credential: consent(webId, resource) }, outcome: 'stated' },
    ],
    // Last, because the caller has no WebID afterwards.
    deleteWebId: [{ method: remove, path: 'v1/webids', outcome: 'empty' }],
  };
}

/** Operations with a caller. */
export function operationsWithCaller(): string[] {
  return operations.filter(({ caller }): boolean => caller !== 'none').map(({ operationId }): string => operationId);
}
