import type { Artefacts } from '../contracts/Artefacts';
import type { DataUser, DataUsers } from '../contracts/DataUsers';
import type { DataTypeCatalogue, I18nString } from '../data-types/DataType';

/** An IRI and its names in the known languages; empty when the operator does not describe it. */
export interface Named {
  uri: string;
  labels: I18nString[];
}

/** A resource with its data type; null when it is not shared data. */
export interface NamedResource extends Named {
  type: string | null;
}

/** Documents of the operator that contain names. */
export interface NamesOptions {
  artefacts: Pick<Artefacts, 'purposeLabels'>;
  dataTypes: Pick<DataTypeCatalogue, 'find'>;
  dataUsers: Pick<DataUsers, 'find'>;
}

/**
 * Names of data users, purposes and data types, and contact details of data users, from the operator's descriptions.
 */
export class Names {
  public constructor(private readonly options: NamesOptions) {}

  /** Returns the names of the party with a WebID. */
  public ofParty(webId: string): I18nString[] {
    return this.options.dataUsers.find(webId)?.names ?? [];
  }

  /**
   * Returns the contact details and privacy statement of the party with a WebID, as far as the operator describes them.
   */
  public addressesOf(webId: string): Pick<DataUser, 'contacts' | 'privacyStatement'> {
    const { contacts = [], privacyStatement } = this.options.dataUsers.find(webId) ?? {};
    return { contacts, privacyStatement };
  }

  public ofPurpose(uri: string): Named {
    return { uri, labels: this.options.artefacts.purposeLabels(uri) ?? []};
  }

  /**
   * @param uri - URI of the resource.
   * @param types - Data types of shared data, by resource.
   */
  public ofResource(uri: string, types: ReadonlyMap<string, string>): NamedResource {
    const type = types.get(uri) ?? null;
    return { uri, type, labels: type === null ? [] : this.options.dataTypes.find(type)?.labels ?? []};
  }
}
