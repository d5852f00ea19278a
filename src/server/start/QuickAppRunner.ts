import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppRunner, listSingleThreadedComponents } from '@solid/community-server';
import type {
  ComponentsManager,
  IComponentsManagerBuilderOptions,
  IConstructionStrategy,
  IModuleState,
} from 'componentsjs';
import { opened } from '../../platform/opened';
import { parseOwn } from '../../platform/ownJson';
import { requireOfServer, serverManifest } from '../requireOfServer';
import { componentsJs } from './componentsJs';
import { digestPackages } from './fingerprint';
import type { Plan, PlannedValue } from './Plan';
import type { PlanCache } from './PlanCache';
import type { PlanSource } from './PlannedComponents';
import { PlannedComponents } from './PlannedComponents';
import { PlannedObjects } from './PlannedObjects';
import { PlanRecorder } from './PlanRecorder';
import { listReadFiles } from './readFiles';

type Manager = ComponentsManager<unknown>;
/** Starts without a plan. */
export type Fallback = PlanSource['fallBack'];
/** Settings of Components.js. */
export type Options = IComponentsManagerBuilderOptions<PlannedValue>;

/** The last object that the server requests. */
export const lastRoot = 'urn:solid-server:default:App';

/**
 * Starts the server as `AppRunner` does, but makes Components.js resolve a configuration only once, because that takes
 * nine tenths of a start.
 */
export class QuickAppRunner extends AppRunner {
  private readonly cache: PlanCache;
  private readonly now: () => Date;

  /**
   * @param cache - Plans of earlier starts.
   * @param now - The clock.
   */
  public constructor(cache: PlanCache, now: () => Date) {
    super();
    this.cache = cache;
    this.now = now;
  }

  public override async createComponentsManager<T>(options: IComponentsManagerBuilderOptions<T>, configs: string[]):
  Promise<ComponentsManager<T>> {
    const stock = async(): Promise<ComponentsManager<T>> => super.createComponentsManager(options, configs);
    const source = await this.openSource(opened<Options>(options), configs, stock);
    if (!source) {
      return stock();
    }
    const components = new PlannedComponents(source, new PlannedObjects(createMaker(), source.moduleState));
    return opened<ComponentsManager<T>>(components);
  }

  /** Returns the cached plan, or a new one; undefined when there cannot be one. */
  protected async openSource(options: Options, configs: string[], stock: Fallback): Promise<PlanSource | undefined> {
    const madeOf = this.cache.isUsed ? describeSources(options, configs) : undefined;
    const plan = madeOf && this.cache.findPlan(madeOf);
    if (plan) {
      return knownPlan(plan, madeOf.mainModulePath, stock);
    }
    return madeOf && this.recordPlan(options, configs, madeOf, stock);
  }

  /** Makes Components.js read everything, and plans each object at its first use. */
  private async recordPlan(options: Options, configs: string[], madeOf: Sources, stock: Fallback):
  Promise<PlanSource> {
    const since = this.now().getTime();
    const recorder = new PlanRecorder();
    const manager = await componentsJs.ComponentsManager.build<PlannedValue>(
      { ...options, constructionStrategy: recorder },
    );
    let hasWarned = false;
    manager.logger.on('data', (line: Record<symbol, unknown>): void => {
      hasWarned ||= line[Symbol.for('level')] === 'warn';
    });
    for (const config of configs) {
      await manager.configRegistry.register(config);
    }
    const contexts = { ...readContexts(), ...manager.moduleState.contexts };
    const moduleState = { ...manager.moduleState, contexts };
    return {
      isKept: (): boolean => Boolean(this.cache.findPlan(madeOf)),
      moduleState,
      fallBack: stock,
      planFor: async(iri): Promise<Plan> => {
        recorder.addRoot(iri, await manager.instantiate<PlannedValue>(iri));
        const plan = recorder.plan(await listSingleThreaded(manager, moduleState));
        // Warnings are repeated at every start.
        if (iri === lastRoot && !hasWarned) {
          this.keep(madeOf, plan, (): string[] | undefined => listReadFiles(manager, configs), since);
        }
        return plan;
      },
    };
  }

  private keep(madeOf: Sources, plan: Plan, listFiles: () => string[] | undefined, since: number): void {
    try {
      const files = listFiles();
      if (files) {
        this.cache.keep(madeOf, plan, files, since);
      }
    } catch {
      // The next start will take as long as this one.
    }
  }
}

/** Everything that a plan depends on, except the content of files. */
interface Sources {
  mainModulePath: string;
  packages: string;
  componentsJs: string;
  configs: string[];
  options: Record<string, unknown>;
}

/**
 * Returns undefined when plans cannot be compared: parts of Components.js itself are replaced, or packages cannot be
 * read.
 */
function describeSources(options: object, configs: string[]): Sources | undefined {
  const { mainModulePath, logLevel, ...others } = opened<Record<string, unknown>>(options);
  if (Object.values(others).some((value): boolean => typeof value === 'object' || typeof value === 'function')) {
    return;
  }
  try {
    const folder = realpathSync(String(mainModulePath));
    return {
      mainModulePath: folder,
      packages: digestPackages(folder),
      componentsJs: versionOf(requireOfServer.resolve('componentsjs/package.json')),
      configs,
      options: others,
    };
  } catch {
    // Let Components.js report the error.
  }
}

function knownPlan(plan: Plan, mainModulePath: string, stock: Fallback): PlanSource {
  const manifest = join(mainModulePath, 'package.json');
  const moduleState = opened<IModuleState>({
    mainModulePath,
    packageJsons: existsSync(manifest) ? { [mainModulePath]: readJson<object>(manifest) } : {},
    contexts: readContexts(),
  });
  return {
    isKept: (): boolean => true,
    moduleState,
    planFor: async(): Promise<Plan> => plan,
    fallBack: stock,
  };
}

/** Lists the names of the used classes that cannot be used with several worker processes. */
async function listSingleThreaded(manager: ComponentsManager<PlannedValue>, moduleState: IModuleState):
Promise<string[]> {
  return listSingleThreadedComponents(opened<Manager>({
    moduleState,
    getInstantiatedResources: (): unknown[] => manager.getInstantiatedResources(),
  }));
}

/** Reads the JSON-LD contexts of the server, by IRI: it needs them even if the main module leads elsewhere. */
function readContexts(): Record<string, string> {
  const contexts = readJson<Record<string, Record<string, string>>>(serverManifest)['lsd:contexts'];
  return Object.fromEntries(Object.entries(contexts)
    .map(([ iri, file ]): [ string, string ] => [ iri, readJson<string>(join(dirname(serverManifest), file)) ]));
}

/** Creates a strategy that looks up each module once, instead of hundreds of times. */
function createMaker(): IConstructionStrategy<unknown> {
  const found = new Map<string, string>();
  function resolve(name: string, options?: { paths?: string[] }): string {
    const path = found.get(name) ?? requireOfServer.resolve(name, options);
    found.set(name, path);
    return path;
  }
  const req = Object.assign((path: string): unknown => requireOfServer(path), requireOfServer, { resolve });
  return new componentsJs.ConstructionStrategyCommonJs({ req: opened<NodeJS.Require>(req) });
}

function versionOf(manifest: string): string {
  return readJson<{ version: string }>(manifest).version;
}

function readJson<T>(file: string): T {
  return parseOwn(readFileSync(file, 'utf8'));
}
