import type { IConstructionSettings, IConstructionStrategy, IModuleState } from 'componentsjs';
import type { Plan, PlannedInstance, PlannedValue } from './Plan';

/** Makes the objects of a plan, each once, with the same strategy as Components.js. */
export class PlannedObjects {
  private readonly maker: IConstructionStrategy<unknown>;
  private readonly moduleState: IModuleState;
  private readonly made: unknown[] = [];

  /**
   * @param maker - Strategy of Components.js.
   * @param moduleState - Folder and `package.json` of the main module, as Components.js has them.
   */
  public constructor(maker: IConstructionStrategy<unknown>, moduleState: IModuleState) {
    this.maker = maker;
    this.moduleState = moduleState;
  }

  /**
   * Makes the missing objects that a root needs, and returns that of the root.
   *
   * @throws Error when a variable has no value, a module is missing, or a constructor throws.
   */
  public make({ instances, roots }: Plan, iri: string, settings: IConstructionSettings): unknown {
    const { value, end } = roots[iri];
    while (this.made.length < end) {
      this.made.push(this.makeInstance(instances[this.made.length], settings));
    }
    return this.makeValue(value, settings);
  }

  private makeInstance(instance: PlannedInstance, settings: IConstructionSettings): unknown {
    const { module, element, construct, args, id } = instance;
    return this.maker.createInstance({
      settings,
      moduleState: this.moduleState,
      requireName: module,
      requireElement: element,
      callConstructor: construct,
      args: this.makeValues(args, settings),
      instanceId: id,
    });
  }

  private makeValues(values: PlannedValue[], settings: IConstructionSettings): unknown[] {
    return values.map((value): unknown => this.makeValue(value, settings));
  }

  private makeValue(value: PlannedValue, settings: IConstructionSettings): unknown {
    if (typeof value !== 'object') {
      return this.maker.createPrimitive({ settings, value });
    }
    if ('instance' in value) {
      return this.made[value.instance];
    }
    if ('variable' in value) {
      return this.maker.getVariableValue({ settings, variableName: value.variable });
    }
    if ('hash' in value) {
      const entries = value.hash.map((entry): { key: string; value: unknown } | undefined =>
        entry ? { key: entry[0], value: this.makeValue(entry[1], settings) } : undefined);
      return this.maker.createHash({ settings, entries });
    }
    if ('array' in value) {
      return this.maker.createArray({ settings, elements: this.makeValues(value.array, settings) });
    }
    return 'json' in value ?
        this.maker.createPrimitive({ settings, value: value.json }) :
        this.maker.createUndefined();
  }
}
