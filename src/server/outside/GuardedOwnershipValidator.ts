import { BadRequestHttpError, SOLID, TokenOwnershipValidator } from '@solid/community-server';
import type { ExpiringStorage, RepresentationConverter } from '@solid/community-server';
import { replacePart } from '../replacePart';
import type { OutsideDocuments } from './OutsideDocuments';

const maxWebIdLength = 2048;

/** The server's check that a WebID belongs to somebody, with a guarded fetch of its profile. */
export class GuardedOwnershipValidator extends TokenOwnershipValidator {
  /**
   * @param outside - Fetches profiles.
   * @param converter - Reads them.
   * @param storage - The server's storage of statements that must be added to a profile.
   */
  public constructor(
    outside: OutsideDocuments,
    converter: RepresentationConverter,
    storage: ExpiringStorage<string, string>,
  ) {
    super(storage);
    replacePart(this, 'hasToken', async(webId: string, token: string): Promise<boolean> => {
      const statements = await outside.fetchStatements(webId, converter);
      return statements.getObjects(webId, SOLID.terms.oidcIssuerRegistrationToken, null)
        .some(({ termType, value }): boolean => termType === 'Literal' && value === token);
    });
  }

  /**
   * @throws BadRequestHttpError also for a URL that cannot have a profile, before anything is stored for it.
   */
  public override async handle(input: { webId: string }): Promise<void> {
    if (input.webId.length > maxWebIdLength || !/^https?:\/\/[^\s\p{Cc}]+$/u.test(input.webId)) {
      throw new BadRequestHttpError('A WebID is an http or https URL.');
    }
    return super.handle(input);
  }
}
