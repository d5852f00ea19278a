import { ShorthandExtractor } from '@solid/community-server';
import { RefusedSetting } from '../../platform/RefusedSetting';

/** A setting whose default is an environment variable of the platform, such as `DATABASE_URL`. */
export class EnvironmentExtractor extends ShorthandExtractor {
  private readonly key: string;
  private readonly variable: string;

  /**
   * @param key - Name of the setting.
   * @param variable - Name of the environment variable.
   */
  public constructor(key: string, variable: string) {
    super();
    this.key = key;
    this.variable = variable;
  }

  public override async handle(settings: Record<string, unknown>): Promise<unknown> {
    const value = settings[this.key] ?? process.env[this.variable];
    if (value === undefined || value === '') {
      throw new RefusedSetting(`--${this.key} or the environment variable ${this.variable} is required`);
    }
    return value;
  }
}
