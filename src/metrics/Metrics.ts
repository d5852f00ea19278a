import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { AnsweredRequest, AuditSinkState, OriginCheck } from '../platform/diagnostics';
import {
  answeredRequests,
  auditQueueLengths,
  auditSinkStates,
  eventPushes,
  missingKeys,
  originChecks,
  sourceTroubles,
} from '../platform/diagnostics';

const prefix = 'css_data_sharing_';
const buckets = [ 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10 ];
const readings = new Set([ 'GET /v1/resources', 'GET /v1/pods/{podId}/resources/{resourceId}' ]);
const maxReasons = 64;

/** Metrics in the text format of Prometheus. */
export interface Counted {
  contentType: string;
  text: () => Promise<string>;
}

/** Adds up the metrics of the workers of this process, by asking each. An ended worker no longer counts. */
export function metricsOfWorkers(): Counted {
  const all = new AggregatorRegistry();
  return { contentType: all.contentType, text: async(): Promise<string> => all.clusterMetrics() };
}

/**
 * Counts the events of this process for Prometheus. Labels contain operations, statuses, problems, rules and data
 * types, never a person, a resource or a number of theirs.
 */
export class Metrics implements Counted {
  private readonly registry = new Registry();
  private readonly stops: (() => void)[] = [];
  private readonly reasons = new Set<string>();

  private readonly requests = new Histogram({
    name: `${prefix}request_duration_seconds`,
    help: 'Time until a request was answered, by operation and status.',
    labelNames: [ 'operation', 'status' ],
    buckets,
    registers: [ this.registry ],
  });

  private readonly rejections = this.counter('token_rejections_total', 'Tokens and proofs refused, by rule.', 'reason');
  private readonly decisions = this.counter('grant_decisions_total', 'Reads with a grant, by outcome.', 'outcome');
  private readonly failures = this.counter('source_failures_total', 'Sources that could not be asked.', 'data_type');
  private readonly checks = new Counter({
    name: `${prefix}origin_checks_total`,
    help: 'Shares that were due to be checked at their origin, by outcome.',
    labelNames: [ 'data_type', 'outcome' ],
    registers: [ this.registry ],
  });

  private readonly late = new Gauge({
    name: `${prefix}origin_checks_late_seconds`,
    help: 'For how long the first share that is due to be checked at its origin has been.',
    labelNames: [ 'data_type' ],
    registers: [ this.registry ],
  });

  private readonly queued = new Gauge({
    name: `${prefix}audit_queue_length`,
    help: 'Rows that wait to be written to the audit record.',
    registers: [ this.registry ],
  });

  private readonly sinkFailing = new Gauge({
    name: `${prefix}audit_sink_failing`,
    help: 'Processes whose sink of the audit record failed at the last attempt.',
    registers: [ this.registry ],
  });

  private readonly sinkBehind = new Gauge({
    name: `${prefix}audit_sink_behind_seconds`,
    help: 'For how long the first row that the sink of the audit record lacks has been in the records.',
    registers: [ this.registry ],
  });

  private readonly pushes = this.counter('event_pushes_total', 'Attempts to push an event, by outcome.', 'outcome');
  private readonly pushLag = new Histogram({
    name: `${prefix}event_push_lag_seconds`,
    help: 'Time from the cause of an event until an attempt to push it.',
    buckets: [ ...buckets, 60, 600, 3600, 86_400 ],
    registers: [ this.registry ],
  });

  private readonly lacking = new Gauge({
    name: `${prefix}keys_missing`,
    help: 'Processes that cannot read a key in use.',
    registers: [ this.registry ],
  });

  /** Starts to count. */
  public constructor() {
    collectDefaultMetrics({ register: this.registry });
    // In a worker, reports to the primary process; in the primary, constructing a registry makes workers listen.
    AggregatorRegistry.setRegistries([ this.registry ]);
    metricsOfWorkers();
    this.stops.push(
      answeredRequests.listen((request): void => this.count(request)),
      sourceTroubles.listen(({ dataType }): void => this.failures.inc({ data_type: dataType })),
      originChecks.listen((check): void => this.countCheck(check)),
      auditQueueLengths.listen((length): void => this.queued.set(length)),
      eventPushes.listen(({ lagSeconds, outcome }): void => {
        this.pushes.inc({ outcome });
        this.pushLag.observe(lagSeconds);
      }),
      auditSinkStates.listen((state): void => this.noteSink(state)),
      missingKeys.listen((isMissing): void => this.lacking.set(Number(isMissing))),
    );
  }

  /** Media type of {@link text}. */
  public get contentType(): string {
    return this.registry.contentType;
  }

  /** Returns all metrics in the format of Prometheus. */
  public async text(): Promise<string> {
    return this.registry.metrics();
  }

  /** Stops counting. */
  public stop(): void {
    for (const stop of this.stops.splice(0)) {
      stop();
    }
    this.registry.clear();
  }

  private count({ operation, status, seconds, problem, reason }: AnsweredRequest): void {
    this.requests.observe({ operation, status: String(status) }, seconds);
    if (status === 401 || problem?.startsWith('token-') || problem === 'too-many-proofs') {
      this.rejections.inc({ reason: this.known(reason ?? problem ?? 'pod request') });
    }
    if (readings.has(operation) && (status < 400 || status === 403)) {
      this.decisions.inc({ outcome: problem ?? 'allowed' });
    }
  }

  private countCheck({ dataType, lateSeconds, outcome }: OriginCheck): void {
    if (outcome !== undefined) {
      this.checks.inc({ data_type: dataType, outcome });
    }
    if (lateSeconds !== undefined) {
      this.late.set({ data_type: dataType }, lateSeconds);
    }
  }

  private noteSink({ behindSeconds, isFailing }: AuditSinkState): void {
    this.sinkFailing.set(Number(isFailing));
    if (behindSeconds !== undefined) {
      this.sinkBehind.set(behindSeconds);
    }
  }

  /** Limits the number of labels, in case a rule ever contains data of the caller. */
  private known(reason: string): string {
    if (this.reasons.size < maxReasons) {
      this.reasons.add(reason);
    }
    return this.reasons.has(reason) ? reason : 'other';
  }

  private counter<T extends string>(name: string, help: string, label: T): Counter<T> {
    return new Counter({ name: prefix + name, help, labelNames: [ label ], registers: [ this.registry ]});
  }
}
