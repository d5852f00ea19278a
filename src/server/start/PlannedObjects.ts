import type { IConstructionSettings, IConstructionStrategy, IModuleState } from 'componentsjs';
import type { Plan, PlannedInstance, PlannedValue } from './Plan';

/** Plan and values of variables of the objects that are made. */
interface Making {
  instances: PlannedInstance[];
  settings: IConstructionSettings;
}

/** Makes the objects of a plan, each once, with the same strategy as Components.js. */
export class PlannedObjects {
  private readonly maker: IConstructionStrategy<unknown>;
  private readonly moduleState: IModuleState;
  private readonly made = new Map<number, unknown>();

  /**
   * @param maker - Strategy of Components.js.
   * @param moduleState - Folder and `package.json` of the main module, as Components.js has them.
   */
  public constructor(maker: IConstructionStrategy<unknown>, moduleState: IModuleState) {
    this.maker = maker;
    this.moduleState = moduleState;
  }

  /**
   * Makes the missing objects that an object needs, and returns it: a root, or an instance of the plan, which is made
   * without the others of its root.
   *
   * @throws Error when a variable has no value, a module is missing, or a constructor throws.
   */
  public make({ instances, roots }: Plan, iri: string, settings: IConstructionSettings): unknown {
    const making = { instances, settings };
    if (!(iri in roots)) {
      return this.instanceAt(instances.findIndex(({ id }): boolean => id === iri), making);
    }
    const { value, end } = roots[iri];
    for (let at = 0; at < end; at += 1) {
      this.instanceAt(at, making);
    }
    return this.makeValue(value, making);
  }

  private instanceAt(at: number, making: Making): unknown {
    if (!this.made.has(at)) {
      this.made.set(at, this.makeInstance(making.instances[at], making));
    }
    return this.made.get(at);
  }

  private makeInstance(instance: PlannedInstance, making: Making): unknown {
    const { settings } = making;
    const { module, element, construct, args, id } = instance;
    return this.maker.createInstance({
      settings,
      moduleState: this.moduleState,
      requireName: module,
      requireElement: element,
      callConstructor: construct,
      args: this.makeValues(args, making),
      instanceId: id,
    });
  }

  private makeValues(values: PlannedValue[], making: Making): unknown[] {
    return values.map((value): unknown => this.makeValue(value, making));
  }

  private makeValue(value: PlannedValue, making: Making): unknown {
    const { settings } = making;
    if (typeof value !== 'object') {
      return this.maker.createPrimitive({ settings, value });
    }
    if ('instance' in value) {
      return this.instanceAt(value.instance, making);
    }
    if ('variable' in value) {
      return this.maker.getVariableValue({ settings, variableName: value.variable });
    }
    if ('hash' in value) {
      const entries = value.hash.map((entry): { key: string; value: unknown } | undefined =>
        entry ? { key: entry[0], value: this.makeValue(entry[1], making) } : undefined);
      return this.maker.createHash({ settings, entries });
    }
    if ('array' in value) {
      return this.maker.createArray({ settings, elements: this.makeValues(value.array, making) });
    }
    return 'json' in value ?
        this.maker.createPrimitive({ settings, value: value.json }) :
        this.maker.createUndefined();
  }
}
