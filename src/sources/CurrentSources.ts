import type { I18nString } from '../data-types/DataType';
import type { OpenSources } from './openSources';
import type { Source } from './Source';

/** The sources as last opened: services keep this object, and a reload replaces its content. */
export class CurrentSources implements OpenSources {
  public constructor(private current: OpenSources) {}

  public get dataTypes(): string[] {
    return this.current.dataTypes;
  }

  public get all(): OpenSources['all'] {
    return this.current.all;
  }

  /** Replaces the sources with ones that were opened later. */
  public adopt({ current }: CurrentSources): void {
    this.current = current;
  }

  public find(dataType: string): Source | undefined {
    return this.current.find(dataType);
  }

  /** Returns everything about the source of a data type that an operator can change, as one text for comparison. */
  public versionOf(dataType: string): string {
    const { folder, trustedIssuers } = this.find(dataType) ?? {};
    return JSON.stringify([ this.kindOf(dataType), this.nameOf(dataType), folder, trustedIssuers ]);
  }

  public kindOf(dataType: string): string | undefined {
    return this.current.kindOf(dataType);
  }

  public nameOf(dataType: string): I18nString[] | undefined {
    return this.current.nameOf(dataType);
  }
}
