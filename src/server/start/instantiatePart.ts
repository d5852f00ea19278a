import type { ComponentsManager, IComponentsManagerBuilderOptions } from 'componentsjs';
import { opened } from '../../platform/opened';
import type { PlanCache } from './PlanCache';
import { lastRoot, QuickAppRunner } from './QuickAppRunner';

/** Placeholder for the server, which is not made. */
const noServer = { clusterManager: { isSingleThreaded: (): boolean => true }};

class PartRunner extends QuickAppRunner {
  public part: unknown;

  public constructor(cache: PlanCache, now: () => Date, private readonly iri: string) {
    super(cache, now);
  }

  public override async createComponentsManager<T>(options: IComponentsManagerBuilderOptions<T>, configs: string[]):
  Promise<ComponentsManager<T>> {
    const manager = await super.createComponentsManager<T>(options, configs);
    return opened<ComponentsManager<T>>({
      instantiate: async(iri: string, settings?: object): Promise<unknown> => {
        if (iri !== lastRoot) {
          return manager.instantiate(iri, settings);
        }
        this.part = await manager.instantiate(this.iri, settings);
        return noServer;
      },
    });
  }
}

/**
 * Makes one object of the configuration that a start with the same arguments would use, with its dependencies, but
 * without the server around it.
 *
 * @param argv - Arguments in the form of `process.argv`, with all defaults.
 * @param iri - IRI of the object.
 * @param cache - Plans of earlier starts: without one, reading the configuration takes seconds.
 * @param now - The clock.
 *
 * @throws Error as the start does: when the configuration is wrong, or has no such object.
 */
export async function instantiatePart(
  argv: string[],
  iri: string,
  cache: PlanCache,
  now: () => Date,
): Promise<unknown> {
  const runner = new PartRunner(cache, now, iri);
  await runner.createCli(argv);
  return runner.part;
}
