import type { Span, Tracer, TracerProvider } from '@opentelemetry/api';
import { trace } from '@opentelemetry/api';
import { auditQueueLengths, auditSinkStates, sourceTroubles } from '../../../src/platform/diagnostics';
import { Metrics } from '../../../src/metrics/Metrics';
import { GrantRevoked, TokenInvalid } from '../../../src/problems';
import { caller, correlationId, startApi } from '../http/server';
import type { RunningApi } from '../http/server';

const secret = 'secret-of-somebody';

describe('Metrics', (): void => {
  let metrics: Metrics;
  let running: RunningApi;
  let refusal: Error | undefined;
  const spans: { name?: string; attributes?: object; ended?: boolean }[] = [];

  beforeAll(async(): Promise<void> => {
    trace.setGlobalTracerProvider(recordingInto(spans));
    metrics = new Metrics();
    running = await startApi({
      verifier: {
        verify: async(): Promise<ReturnType<typeof caller>> => {
          if (refusal instanceof TokenInvalid) {
            throw refusal;
          }
          return caller();
        },
      },
      resources: {
        read: async(): Promise<never> => {
          throw refusal!;
        },
      },
    });
  });

  afterAll(async(): Promise<void> => {
    metrics.stop();
    trace.disable();
    await running.stop();
  });

  async function read(): Promise<number> {
    const path = `/v1/resources?resource=https%3A%2F%2Fpods.example%2F${secret}`;
    const headers = {
      authorization: `Bearer ${secret}`,
      'x-access-grant': `https://pods.example/.access/vc/${secret}`,
      'x-correlation-id': correlationId,
    };
    return (await running.call('GET', path, { headers })).status;
  }

  it('count requests by operation and status, refused tokens by rule, and decisions.', async(): Promise<void> => {
    refusal = new TokenInvalid('the DPoP proof was used before');
    await expect(read()).resolves.toBe(401);
    refusal = new GrantRevoked();
    await expect(read()).resolves.toBe(403);
    const text = await metrics.text();
    expect(text).toContain('request_duration_seconds_count{operation="GET /v1/resources",status="401"} 1');
    expect(text).toContain('token_rejections_total{reason="the DPoP proof was used before"} 1');
    expect(text).toContain('grant_decisions_total{outcome="grant-revoked"} 1');
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).toContain('nodejs_eventloop_lag_seconds');
  });

  it('count failing sources, and waiting rows.', async(): Promise<void> => {
    sourceTroubles.publish({ dataType: 'https://pods.example/v1/data-types/diploma/2024-05-22' });
    auditQueueLengths.publish(7);
    auditSinkStates.publish({ isFailing: true, behindSeconds: 90 });
    const text = await metrics.text();
    expect(text).toMatch(/source_failures_total\{data_type="[^"]+diploma\/2024-05-22"\} 1/u);
    expect(text).toContain('audit_queue_length 7');
    expect(text).toContain('audit_sink_failing 1');
    expect(text).toContain('audit_sink_behind_seconds 90');
  });

  it('contain no ids, tokens or paths of callers, whatever they send.', async(): Promise<void> => {
    await running.call('GET', `/v1/contracts/${secret}`);
    await running.call('GET', `/v1/${secret}/${secret}`);
    await running.call('PURGE', `/v1/webids?${secret}`);
    const text = await metrics.text();
    expect(text).not.toContain(secret);
    expect(text).not.toContain('PURGE');
    expect(text).toContain('operation="_OTHER unknown path"');
  });

  it('have a limited number of rules, however many appear.', async(): Promise<void> => {
    for (let index = 0; index < 100; index += 1) {
      refusal = new TokenInvalid(`rule ${index}`);
      await read();
    }
    const counted = (await metrics.text()).match(/^css_data_sharing_token_rejections_total\{.*$/gmu);
    expect(counted).toHaveLength(65);
    expect(counted).toContainEqual(expect.stringContaining('{reason="other"}'));
    refusal = new GrantRevoked();
  });

  it('come with spans, if the operator has an SDK.', async(): Promise<void> => {
    spans.length = 0;
    await read();
    expect(spans).toEqual([{
      name: 'GET /v1/resources',
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v1/resources',
        'http.response.status_code': 403,
        'css_data_sharing.correlation_id': correlationId,
      },
      ended: true,
    }]);
  });
});

function recordingInto(spans: { name?: string; attributes?: object; ended?: boolean }[]): TracerProvider {
  const tracer = {
    startActiveSpan(...args: unknown[]): unknown {
      const record: typeof spans[number] = {};
      spans.push(record);
      const span = {
        isRecording: (): boolean => true,
        updateName: (name: string): unknown => Object.assign(record, { name }),
        setAttributes: (attributes: object): unknown => Object.assign(record, { attributes }),
        setStatus: (): unknown => record,
        end: (): unknown => Object.assign(record, { ended: true }),
      };
      return (args.at(-1) as (span: Span) => unknown)(span as unknown as Span);
    },
  };
  return { getTracer: (): Tracer => tracer as unknown as Tracer };
}
