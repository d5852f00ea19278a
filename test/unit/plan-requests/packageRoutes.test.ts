import type { JsonAnswer } from '../../../src/http/Answer';
import type { AnyCall } from '../../../src/http/Operation';
import type { PlanServices } from '../../../src/plan-requests/operation';
import { packageOperations } from '../../../src/plan-requests/packageRoutes';
import { newReport } from '../../../src/plan-requests/packages/Report';

const id = 'e0b1ffd4-93ce-4d9d-8a0f-0a6a5d3b7f11';

describe('An uploaded package', (): void => {
  it.each([ 'plans', 'imkl', 'maprequest' ])('leads to its report when the service is called %s.', async(service):
  Promise<void> => {
    const upload = packageOperations.find(({ operationId }): boolean => operationId === 'uploadPackage')!;
    const base = `/ws/${service}/v3/imkl`;
    const place = { MapRequestId: id, UnaZoneId: id };
    const made = { id, size: 1, receivedAt: new Date(), state: 'Validating', report: newReport() };
    const services = {
      organisations: { admit: (): object => ({}) },
      packages: { upload: async(): Promise<object> => made },
    } as unknown as PlanServices;
    const call = {
      params: place,
      headers: {},
      path: `${base}/maprequest/${id}/unazone/${id}`,
      site: { baseUrl: 'https://plans.example/' },
    } as unknown as AnyCall;
    const { headers } = await upload.answer(call, services) as JsonAnswer;
    expect(headers.Location).toBe(`https://plans.example${base}/report/maprequest/${id}/unazone/${id}`);
  });
});
