import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApi } from '../../../src/api/createApi';
import { NoOperations } from '../../../src/api/NoOperations';
import type { OperationGroup } from '../../../src/api/OperationGroup';
import { groups, operations, standingOperations } from '../../../src/api/routes';
import { ShippedOperations } from '../../../src/api/ShippedOperations';
import type { Services } from '../../../src/api/Services';
import { ok } from '../../../src/http/Answer';
import type { JsonAnswer } from '../../../src/http/Answer';
import type { AnyCall, Operation } from '../../../src/http/Operation';
import { baseUrl, startApi } from '../http/server';

const names = Object.keys(groups);

function shipped(without?: string): OperationGroup[] {
  return names.map((name): OperationGroup => name === without ? new NoOperations() : new ShippedOperations(name));
}

interface Document {
  paths: Record<string, object>;
  components: { schemas: Record<string, object> };
}

const row: Operation = {
  method: 'POST',
  path: '/v1/greeting',
  caller: 'webid',
  body: { schema: 'GreetingRequest' },
  operationId: 'greet',
  tag: 'Greetings',
  summary: 'Greets',
  success: { 200: { description: 'The greeting.', content: { 'application/json': 'GreetingRequest' }}},
  answer: ({ body }: AnyCall): JsonAnswer => ok(body),
};
const greetings: OperationGroup = {
  operations: (): Operation[] => [
    row,
    { ...row, method: 'GET', caller: 'none', body: undefined, operationId: 'getGreeting', indexed: true },
  ],
  schemas: { GreetingRequest: { type: 'object', properties: { name: { type: 'string' }}, required: [ 'name' ]}},
};

function groupOf(more: Partial<Operation>): OperationGroup {
  return { operations: (): Operation[] => [{ ...row, ...more }]};
}

function none(): Operation[] {
  return [];
}

describe('Groups of operations', (): void => {
  it('contain each operation once, and are all in the presets.', (): void => {
    const grouped = [ ...Object.values(groups).flat(), ...standingOperations ];
    expect(grouped).toHaveLength(operations.length);
    expect(new Set(grouped)).toEqual(new Set(operations));
    const file = join(__dirname, '../../../config/data-sharing/operations.json');
    const { '@graph': [{ args_operations: listed }] } = JSON.parse(readFileSync(file, 'utf8'));
    expect((listed as { group: string }[]).map(({ group }): string => group).sort()).toEqual([ ...names ].sort());
  });

  it('are left out of the paths, the OpenAPI document and the index.', async(): Promise<void> => {
    for (const [ name, rows ] of Object.entries(groups)) {
      const { call, stop } = await startApi({}, { groups: shipped(name) });
      const { paths } = (await call('GET', '/v1/openapi.json')).json() as Document;
      const remaining = operations.filter((one): boolean => !(rows as readonly unknown[]).includes(one));
      expect(Object.keys(paths).sort())
        .toEqual([ ...new Set(remaining.map(({ path }): string => path.replace('**', '{path}'))) ].sort());
      const index = (await call('GET', '/v1')).text;
      for (const { path } of rows) {
        expect(index).not.toContain(`"${baseUrl}${path.slice(1)}"`);
      }
      await stop();
    }
  });

  it('of other packages are checked, described and listed according to their rows.', async(): Promise<void> => {
    const { call, stop } = await startApi({}, { groups: [ ...shipped(), greetings ]});
    const headers = { authorization: 'DPoP token' };
    await expect(call('POST', '/v1/greeting', { body: { name: 'Emma' }})).resolves.toMatchObject({ status: 401 });
    await expect(call('POST', '/v1/greeting', { headers, body: { name: 1 }})).resolves.toMatchObject({ status: 400 });
    const answer = await call('POST', '/v1/greeting', { headers, body: { name: 'Emma' }});
    expect([ answer.status, answer.json() ]).toEqual([ 200, { name: 'Emma' }]);
    const document = (await call('GET', '/v1/openapi.json')).json() as Document;
    expect(Object.keys(document.paths['/v1/greeting'])).toEqual([ 'post', 'get' ]);
    expect(document.components.schemas.GreetingRequest).toEqual(greetings.schemas!.GreetingRequest);
    expect((await call('GET', '/v1')).json()).toMatchObject({ more: [ `${baseUrl}v1/greeting` ]});
    await stop();
  });

  it.each<[string, OperationGroup, string]>([
    [ 'one path and method', groupOf({ operationId: 'other' }), 'Two operations at POST' ],
    [ 'one name', groupOf({ path: '/v1/other' }), 'Two operations are called greet' ],
    [ 'a name of ours', groupOf({ operationId: 'getWebId' }), 'Two operations are called getWebId' ],
    [ 'a path in the pods', groupOf({ operationId: 'other', path: '/pod/x' }), 'other must be under' ],
    [ 'a schema of ours', { operations: none, schemas: { WebId: {}}}, 'Two schemas of operations are called WebId' ],
  ])('that have %s stop the start.', (_what, group, message): void => {
    expect((): unknown => createApi({
      baseUrl,
      buildId: '1',
      services: {} as Services,
      groups: [ ...shipped(), greetings, group ],
    })).toThrow(message);
  });

  it('that do not exist are refused, naming the existing ones.', (): void => {
    for (const name of [ 'building', 'constructor', '' ]) {
      expect((): unknown => new ShippedOperations(name)).toThrow('there are webIds, contracts');
    }
  });
});
