import { PassthroughAdapter, PassthroughAdapterFactory } from '@solid/community-server';
import type { AdapterFactory } from '@solid/community-server';
import { changingValues } from '../values/ValueChange';

type Adapter = ReturnType<AdapterFactory['createStorageAdapter']>;
type Payload = Parameters<Adapter['upsert']>[1];

/**
 * Allows codes, refresh tokens and the like to be used once, even in many processes at the same time. Everything issued
 * for one grant at the same time is in the list by which it is revoked.
 */
export class SingleUseFactory extends PassthroughAdapterFactory {
  /** @param source - Stores issued values. */

  public constructor(source: AdapterFactory) {
    super(source);
  }

  public override createStorageAdapter(name: string): Adapter {
    return new SingleUseAdapter(name, this.source.createStorageAdapter(name));
  }
}

class SingleUseAdapter extends PassthroughAdapter {
  public override async upsert(id: string, payload: Payload, expiresIn: number): Promise<void> {
    await (payload.grantId === undefined ?
        super.upsert(id, payload, expiresIn) :
        changingValues(async(): Promise<void> => super.upsert(id, payload, expiresIn)));
  }

  public override async consume(id: string): Promise<void> {
    await changingValues(async(): Promise<void> => {
      const found = await this.find(id);
      if (!found || found.consumed !== undefined) {
        throw new UsedElsewhere();
      }
      await super.consume(id);
    });
  }
}

/** An error as the library reports it: RFC 6749, section 5.2. */
class UsedElsewhere extends Error {
  public readonly expose = true;
  public readonly status = 400;
  public readonly statusCode = 400;
  public readonly error = 'invalid_grant';
  /* eslint-disable @typescript-eslint/naming-convention -- as on the wire, and as the library has it */
  public readonly error_description = 'grant request is invalid';
  public readonly error_detail = 'used elsewhere at the same time';
  /* eslint-enable @typescript-eslint/naming-convention */

  public constructor() {
    super('invalid_grant');
    this.name = 'InvalidGrant';
  }
}
