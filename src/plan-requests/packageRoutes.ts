import { accepted, ok, personalBytes } from '../http/Answer';
import type { Answer } from '../http/Answer';
import type { Operation } from '../http/Operation';
import { writePackage } from './bodies';
import { signReport } from './packages/signReport';
import type { NetworkPackage } from './PlanStores';
import type { PlanServices } from './operation';
import { planOperation } from './operation';

const json = 'application/json';
const zip = 'application/zip';
/** The second type is what browsers on Windows call a zip file. */
const mediaTypes = [ zip, 'application/x-zip-compressed', 'application/octet-stream' ];
const upload = { mediaTypes, maxBytes: 250 * 1024 * 1024 };
const tag = 'Packages';
const started = {
  description: 'The report so far: the check continues.',
  content: { [json]: 'PackageReport' },
  headers: [ 'Location' ],
};

/** Packages of network data, by which operators answer. */
export const packageOperations: readonly Operation<PlanServices>[] = [
  planOperation({
    method: 'POST',
    path: '/imkl/maprequest/{MapRequestId}/unazone/{UnaZoneId}',
    roles: [ 'UnaOperator' ],
    upload,
    async answer({ body, context, organisation, params, path, site }, { packages }): Promise<Answer> {
      const place = { requestId: params.MapRequestId, zoneId: params.UnaZoneId };
      const made = await packages.upload(place, body, organisation, context);
      return accepted(writePackage(made), new URL(reportOf(path), site.baseUrl).href);
    },
    operationId: 'uploadPackage',
    tag,
    summary: 'Answer a plan request in a zone with a package, which is validated in the background',
    success: { 202: started },
    errors: [ 404, 409, 507 ],
  }),
  planOperation({
    method: 'GET',
    path: '/imkl/report/maprequest/{MapRequestId}/unazone/{UnaZoneId}',
    roles: [ 'UnaOperator' ],
    async answer({ organisation, params }, { packages, signer }): Promise<Answer> {
      const place = { requestId: params.MapRequestId, zoneId: params.UnaZoneId };
      return ok(await signed(await packages.getLatest(place, organisation), signer));
    },
    operationId: 'getPackageReport',
    tag,
    summary: 'Get the report of the latest package in a zone',
    success: { 200: { description: 'The report.', content: { [json]: 'PackageReport' }}},
    errors: [ 404 ],
  }),
  planOperation({
    method: 'POST',
    path: '/imkl/test',
    roles: [ 'UnaOperator' ],
    upload,
    async answer({ body, context, organisation, path, site }, { packages }): Promise<Answer> {
      const test = await packages.uploadTest(body, organisation, context);
      return accepted(writePackage(test), new URL(`${path}/${test.id}`, site.baseUrl).href);
    },
    operationId: 'testPackage',
    tag,
    summary: 'Have a package validated without a plan request',
    success: { 202: started },
    errors: [ 507 ],
  }),
  planOperation({
    method: 'GET',
    path: '/imkl/test/{TestId}',
    roles: [ 'UnaOperator' ],
    async answer({ organisation, params }, { packages, signer }): Promise<Answer> {
      return ok(await signed(await packages.getTest(params.TestId, organisation), signer));
    },
    operationId: 'getPackageTest',
    tag,
    summary: 'Get the report of a test, for a month',
    success: { 200: { description: 'The report.', content: { [json]: 'PackageReport' }}},
    errors: [ 404 ],
  }),
  planOperation({
    method: 'GET',
    path: '/imkl/maprequest/{MapRequestId}',
    roles: [ 'MapRequestInitiator', 'UnaOperator' ],
    async answer({ organisation, params }, { packages }): Promise<Answer> {
      const { etag, open, size } = await packages.getAnswer(params.MapRequestId, organisation);
      return personalBytes({ contentType: zip, etag, size, body: open() });
    },
    representation: true,
    operationId: 'downloadAnswer',
    tag,
    summary: 'Download the accepted packages as one zip; an operator gets those of its own zones',
    success: { 200: { description: 'Packages as `{UnaZoneId}.zip`, and `index.json`.', content: { [zip]: 'bytes' }}},
    errors: [ 404 ],
  }),
];

/** Returns the path of the report for that of an upload. The service may have any name, so it is read from the end. */
function reportOf(path: string): string {
  const at = path.lastIndexOf('/maprequest/');
  return `${path.slice(0, at)}/report${path.slice(at)}`;
}

/** Returns the report of a package, with a credential that confirms it once the package is validated. */
async function signed(of: NetworkPackage, signer: PlanServices['signer']): Promise<object> {
  const report = writePackage(of);
  return of.finishedAt ?
      { ...report, Credential: await signReport(report, { id: of.id, at: of.finishedAt }, signer) } :
    report;
}
