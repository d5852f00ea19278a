import type { JobOutcome } from '../jobs/Jobs';
import { isAnswered } from '../MapRequests';
import type { Job } from '../PlanStores';
import type { Notices } from './Notices';

/** Reminds an operator on the last working day of a term, unless it has answered. Run by `Jobs`. */
export async function remind({ subject }: Job, notices: Pick<Notices, 'leave'>): Promise<JobOutcome> {
  const [ requestId, zoneId ] = subject.split('/');
  return async(stores): Promise<undefined> => {
    const request = await stores.mapRequests.lock(requestId);
    const zones = request ? await stores.mapRequests.listZones([ requestId ]) : [];
    const late = zones.filter((zone): boolean => zone.zoneId === zoneId && !isAnswered(zone));
    if (request && late.length > 0) {
      await notices.leave(stores, 'Reminder', request, late);
    }
  };
}
