/* eslint-disable @typescript-eslint/ban-ts-comment -- the errors are what is tested */
import { ok } from '../../../src/http/Answer';
import type { JsonAnswer } from '../../../src/http/Answer';
import { operation } from '../../../src/api/operation';
import type { ShareRequest } from '../../../src/api/schemas';
import type { Call } from '../../../src/http/Operation';
import type { WebIdCaller } from '../../../src/tokens/Caller';

const about = { operationId: 'test', tag: 'Test', summary: 'A test', success: {}} as const;

function share({ caller, body }: Call<{ caller: WebIdCaller; body: ShareRequest }>): JsonAnswer {
  return ok({ by: caller.webId, values: body.dataValues.length });
}

function find({ query }: Call<{ query: { resource: string }}>): JsonAnswer {
  return ok(query.resource);
}

function read({ params, query }: Call<{ params: 'podId'; query: { verified?: boolean }}>): JsonAnswer {
  return ok({ pod: params.podId, verified: query.verified });
}

// The type checker decides these tests: a row that compiles where an error is expected fails `npm run check:types`.
describe('A row of the table of operations', (): void => {
  const body = { schema: 'ShareRequest' } as const;
  const query = { verified: { schema: { type: 'boolean' }, description: 'Verify first.' }} as const;

  it('compiles when its handler fits.', (): void => {
    const rows = [
      operation({ method: 'POST', path: '/v1/test', caller: 'webid', body, answer: share, ...about }),
      operation({ method: 'GET', path: '/v1/pods/{podId}', caller: 'none', query, answer: read, ...about }),
    ];
    expect(rows.map(({ path }): string => path)).toEqual([ '/v1/test', '/v1/pods/{podId}' ]);
  });

  it('does not compile without the caller that its handler needs.', (): void => {
    expect([
      // @ts-expect-error -- nobody has a WebID here
      operation({ method: 'POST', path: '/v1/test', caller: 'none', body, answer: share, ...about }),
      // @ts-expect-error -- a citizen may have none
      operation({ method: 'POST', path: '/v1/test', caller: 'citizen', body, answer: share, ...about }),
    ]).toHaveLength(2);
  });

  it('does not compile with another body, or with one that may be absent.', (): void => {
    const other = { schema: 'DataCopyReport' } as const;
    const optional = { schema: 'ShareRequest', optional: true } as const;
    expect([
      // @ts-expect-error -- the body of another operation
      operation({ method: 'POST', path: '/v1/test', caller: 'webid', body: other, answer: share, ...about }),
      // @ts-expect-error -- may be called without
      operation({ method: 'POST', path: '/v1/test', caller: 'webid', body: optional, answer: share, ...about }),
      // @ts-expect-error -- takes none
      operation({ method: 'POST', path: '/v1/test', caller: 'webid', answer: share, ...about }),
    ]).toHaveLength(3);
  });

  it('does not compile with other parameters.', (): void => {
    const text = { verified: { schema: { type: 'string' }, description: 'Verify first.' }} as const;
    const given = { resource: { schema: { type: 'string' }, description: 'Which one.' }} as const;
    expect([
      // @ts-expect-error -- none in the query
      operation({ method: 'GET', path: '/v1/test', caller: 'none', answer: find, ...about }),
      // @ts-expect-error -- not required
      operation({ method: 'GET', path: '/v1/test', caller: 'none', query: given, answer: find, ...about }),
      // @ts-expect-error -- another name in the path
      operation({ method: 'GET', path: '/v1/pods/{pod}', caller: 'none', query, answer: read, ...about }),
      // @ts-expect-error -- another type in the query
      operation({ method: 'GET', path: '/v1/pods/{podId}', caller: 'none', query: text, answer: read, ...about }),
    ]).toHaveLength(4);
  });
});
