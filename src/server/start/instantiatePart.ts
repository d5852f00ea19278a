import { AppRunner } from '@solid/community-server';
import type { ComponentsManager, IComponentsManagerBuilderOptions } from 'componentsjs';
import { opened } from '../../platform/opened';

/** The last object that the server requests. */
const app = 'urn:solid-server:default:App';

/** Placeholder for the server, which is not made. */
const noServer = { clusterManager: { isSingleThreaded: (): boolean => true }};

class PartRunner extends AppRunner {
  public part: unknown;

  public constructor(private readonly iri: string) {
    super();
  }

  public override async createComponentsManager<T>(options: IComponentsManagerBuilderOptions<T>, configs: string[]):
  Promise<ComponentsManager<T>> {
    const manager = await super.createComponentsManager<T>(options, configs);
    return opened<ComponentsManager<T>>({
      instantiate: async(iri: string, settings?: object): Promise<unknown> => {
        if (iri !== app) {
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
 *
 * @throws Error as the start does: when the configuration is wrong, or has no such object.
 */
export async function instantiatePart(argv: string[], iri: string): Promise<unknown> {
  const runner = new PartRunner(iri);
  await runner.createCli(argv);
  return runner.part;
}
