import type { Clock } from '../../platform/clock';
import { messageOf } from '../../platform/errors';
import type { Logger } from '../../platform/logger';
import type { MailSender } from '../../server/mail/MailSender';
import type { JobOutcome } from '../jobs/Jobs';
import type { Job, Notice, PlanRecords } from '../PlanStores';
import { writeMail } from './writeMail';

/** Dependencies of {@link Mails}. */
export interface MailsOptions {
  records: PlanRecords;
  mail: Pick<MailSender, 'handleSafe' | 'serviceName'>;
  logger: Pick<Logger, 'warn'>;
  now: Clock;
}

const firstPauseMs = 60_000;
const maxPauseMs = 3_600_000;
/** Attempts: with their pauses, about a day. */
const maxAttempts = 30;

/** Sends mails about plan requests, each by one process; retries for a day while the mail server refuses them. */
export class Mails {
  private readonly options: MailsOptions;

  public constructor(options: MailsOptions) {
    this.options = options;
  }

  /** Sends a mail, if the settings of the zone still ask for it. Run by `Jobs`. */
  public async send({ attempts, id, subject }: Job): Promise<JobOutcome> {
    const { logger, mail, now, records } = this.options;
    // In the form in which the job was added.
    const [ notice, requestId, zoneId ] = subject.split('/') as [Notice, string, string];
    const zone = await records.unaZones.find(zoneId);
    if (zone?.settings.contactEmail === undefined || !zone.settings.mails[notice] || attempts > maxAttempts) {
      return done;
    }
    const request = await records.mapRequests.find(requestId);
    const sentTo = (await records.mapRequests.listZones([ requestId ])).find((each): boolean => each.zoneId === zoneId);
    const written = writeMail(notice, { requestId, zone, request, sentTo, serviceName: mail.serviceName });
    try {
      await mail.handleSafe({ ...written, to: zone.settings.contactEmail, id });
      return done;
    } catch (error: unknown) {
      const isLast = attempts === maxAttempts;
      const again = new Date(now().getTime() + Math.min(firstPauseMs * (2 ** (attempts - 1)), maxPauseMs));
      const what = isLast ? 'was not sent, and is given up' : 'was not sent yet';
      logger.warn(`A mail about plan request ${requestId} ${what}: ${messageOf(error)}`);
      return isLast ? done : async(): Promise<Date> => again;
    }
  }
}

async function done(): Promise<undefined> {
  // Nothing is written.
}
