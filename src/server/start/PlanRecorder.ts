import type {
  IConstructionStrategy,
  ICreationStrategyArrayOptions,
  ICreationStrategyHashOptions,
  ICreationStrategyInstanceOptions,
  ICreationStrategyPrimitiveOptions,
  ICreationStrategyVariableOptions,
} from 'componentsjs';
import type { Plan, PlannedInstance, PlannedRoot, PlannedValue } from './Plan';

/** A construction strategy of Components.js that makes nothing, but records what would be made. */
export class PlanRecorder implements IConstructionStrategy<PlannedValue> {
  private readonly instances: PlannedInstance[] = [];
  private readonly roots: Record<string, PlannedRoot> = {};

  /**
   * Returns the plan recorded so far.
   *
   * @param singleThreaded - Names of classes that cannot be used with several worker processes.
   */
  public plan(singleThreaded: string[] = []): Plan {
    return { instances: this.instances, roots: this.roots, singleThreaded };
  }

  /** Records that everything recorded so far is needed for one object that the server requests. */
  public addRoot(iri: string, value: PlannedValue): PlannedRoot {
    const root = { value, end: this.instances.length };
    this.roots[iri] = root;
    return root;
  }

  public createInstance(options: ICreationStrategyInstanceOptions<PlannedValue>): PlannedValue {
    const { requireName: module, requireElement: element, callConstructor: construct, args, instanceId: id } = options;
    this.instances.push({ module, ...element && { element }, construct, args, id });
    return { instance: this.instances.length - 1 };
  }

  public createHash({ entries }: ICreationStrategyHashOptions<PlannedValue>): PlannedValue {
    return { hash: entries.map((entry): [ string, PlannedValue ] | null => entry ? [ entry.key, entry.value ] : null) };
  }

  public createArray({ elements }: ICreationStrategyArrayOptions<PlannedValue>): PlannedValue {
    return { array: elements };
  }

  /** @throws Error always: a plan cannot contain objects that are made later, if ever. */
  public async createLazySupplier(): Promise<PlannedValue> {
    throw new Error('A lazy value cannot be planned');
  }

  /** @throws Error when JSON cannot express the value. */
  public createPrimitive({ value }: ICreationStrategyPrimitiveOptions<PlannedValue>): PlannedValue {
    const copy: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
    if (typeof value === 'object') {
      return { json: copy };
    }
    const isPlain = typeof copy === 'string' || typeof copy === 'number' || typeof copy === 'boolean';
    if (!isPlain || !Object.is(copy, value)) {
      throw new Error(`A value of type ${typeof value} cannot be planned`);
    }
    return copy;
  }

  public createUndefined(): PlannedValue {
    return { nothing: true };
  }

  public getVariableValue({ variableName: variable }: ICreationStrategyVariableOptions<PlannedValue>): PlannedValue {
    return { variable };
  }
}
