import type { ComponentsManager, IComponentsManagerBuilderOptions } from 'componentsjs';
import { opened } from '../../platform/opened';
import type { PlanSource } from './PlannedComponents';
import type { Options } from './QuickAppRunner';
import { QuickAppRunner } from './QuickAppRunner';

/** Placeholder for every object of a server that is not made. */
const nothing = {
  cliExtractor: { handleSafe: async(): Promise<object> => ({}) },
  shorthandResolver: { handleSafe: async(): Promise<object> => ({}) },
  clusterManager: { isSingleThreaded: (): boolean => true },
};

/** Caches the plan of a configuration for later starts, without making its objects: needs no settings. */
export class PreparingAppRunner extends QuickAppRunner {
  private source?: PlanSource;

  /**
   * Resolves the configuration that a start with the same arguments would use.
   *
   * @param argv - Arguments in the form of `process.argv`.
   *
   * @throws Error when the configuration is wrong, or the plan cannot be cached.
   */
  public async prepare(argv: string[]): Promise<void> {
    await this.createCli(argv);
    if (!this.source?.isKept()) {
      throw new Error('The result cannot be cached, or Components.js warned: every start will read the configuration');
    }
  }

  public override async createComponentsManager<T>(options: IComponentsManagerBuilderOptions<T>, configs: string[]):
  Promise<ComponentsManager<T>> {
    this.source = await this.openSource(
      opened<Options>(options),
      configs,
      async(): Promise<never> => {
        throw new Error('No server is made');
      },
    );
    const { source } = this;
    return opened<ComponentsManager<T>>({
      instantiate: async(iri: string): Promise<object> => {
        await source?.planFor(iri);
        return nothing;
      },
    });
  }
}
