import type { Clock } from '../platform/clock';
import { NotOfOrganisation, PhoneInvalid, UnaNotFound } from '../problems';
import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import { changeZones } from './changeZones';
import type { PlanLimits } from './limits';
import { withinLimits } from './limits';
import type { Organisation } from './Organisations';
import type { PlanRecords, PlanStores, Una, ZoneSettings } from './PlanStores';

/** Dependencies of {@link Unas}. */
export interface UnasOptions {
  records: PlanRecords;
  limits: PlanLimits;
  now: Clock;
}

/** Utility network authorities. */
export class Unas {
  private readonly options: UnasOptions;

  public constructor(options: UnasOptions) {
    this.options = options;
  }

  /** @throws UnaNotFound */
  public async get(id: string): Promise<Una> {
    const una = await this.options.records.unas.find(id.toLowerCase());
    if (!una) {
      throw new UnaNotFound();
    }
    return una;
  }

  public async listOf(organisationId: string): Promise<Una[]> {
    return this.options.records.unas.listOf(organisationId.toLowerCase());
  }

  /**
   * Creates or replaces an authority.
   *
   * @returns False when it existed.
   *
   * @throws NotOfOrganisation when it belongs, or would belong, to another organisation; TooManyUnas
   */
  public async put(una: Una, { id: organisationId }: Organisation, context: CallContext): Promise<boolean> {
    const { limits, now, records } = this.options;
    if (una.organisationId !== organisationId) {
      throw new NotOfOrganisation();
    }
    return changeZones(records, async(stores): Promise<boolean> => {
      const { audit, unas } = stores;
      const known = await unas.find(una.id);
      if (known && known.organisationId !== organisationId) {
        throw new NotOfOrganisation();
      }
      await withinLimits(stores, organisationId, limits, async(): Promise<void> => unas.save(una));
      const facts = { una: una.id, organisation: organisationId };
      await audit.append({ type: 'plan.una.written', at: now(), ...ofCall(context, facts) });
      return !known;
    });
  }
}

/**
 * Returns an authority of an organisation.
 *
 * @throws UnaNotFound, NotOfOrganisation
 */
export async function getOwnUna({ unas }: Pick<PlanStores, 'unas'>, id: string, { id: organisationId }: Organisation):
Promise<Una> {
  const una = await unas.find(id);
  if (!una) {
    throw new UnaNotFound();
  }
  if (una.organisationId !== organisationId) {
    throw new NotOfOrganisation();
  }
  return una;
}

/** @throws PhoneInvalid for a phone number with anything but digits, `+`, `/`, `.` and spaces. */
export function requirePhone({ phone }: Pick<ZoneSettings, 'phone'>): void {
  if (phone !== undefined && (!/^[\d+/. ]{1,30}$/u.test(phone) || !/\d/u.test(phone))) {
    throw new PhoneInvalid('A phone number has only digits, +, /, . and spaces.');
  }
}
