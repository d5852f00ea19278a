import type { ComponentsManager, IConstructionSettings, IModuleState } from 'componentsjs';
import type { Plan } from './Plan';
import type { PlannedObjects } from './PlannedObjects';

type Manager = ComponentsManager<unknown>;

/** Dependencies of {@link PlannedComponents}, which take the place of parts of a `ComponentsManager`. */
export interface PlanSource {
  /** Folder and `package.json` of the main module, and the JSON-LD contexts of the server. */
  moduleState: IModuleState;
  /**
   * Returns a plan for an object, and for everything planned before.
   *
   * @throws Error when it cannot be planned.
   */
  planFor: (iri: string) => Promise<Plan>;
  /** Falls back to Components.js, which makes what cannot be planned, or explains what is wrong with it. */
  fallBack: () => Promise<Manager>;
  /** Returns true when later starts will find the plan. */
  isKept: () => boolean;
}

/** A class that cannot be used with several worker processes, in the form that `AppRunner` examines. */
interface SingleThreadedResource {
  value: string;
  property: { type: { value: string }};
  isA: () => true;
}

/** Implements the part of a `ComponentsManager` that `AppRunner` needs, with a plan. */
export class PlannedComponents {
  private readonly source: PlanSource;
  private readonly objects: PlannedObjects;
  private singleThreaded: string[] = [];
  private stock?: Manager;

  public constructor(source: PlanSource, objects: PlannedObjects) {
    this.source = source;
    this.objects = objects;
  }

  public get moduleState(): IModuleState {
    return this.stock?.moduleState ?? this.source.moduleState;
  }

  /**
   * Makes an object of the configuration.
   *
   * @throws Error as Components.js does.
   */
  public async instantiate(iri: string, settings: IConstructionSettings = {}): Promise<unknown> {
    const plan = await this.findPlan(iri);
    if (!plan) {
      this.stock ??= await this.source.fallBack();
      return this.stock.instantiate(iri, settings);
    }
    this.singleThreaded = plan.singleThreaded;
    return this.objects.make(plan, iri, settings);
  }

  /** Returns those of the made objects that cannot be used with several worker processes. */
  public getInstantiatedResources(): unknown[] {
    return this.stock?.getInstantiatedResources() ?? this.singleThreaded.map(describeSingleThreaded);
  }

  private async findPlan(iri: string): Promise<Plan | undefined> {
    if (this.stock) {
      return;
    }
    try {
      const plan = await this.source.planFor(iri);
      return iri in plan.roots || plan.instances.some(({ id }): boolean => id === iri) ? plan : undefined;
    } catch {
      // Let Components.js report the error.
    }
  }
}

function describeSingleThreaded(name: string): SingleThreadedResource {
  return { value: '', property: { type: { value: `#${name}` }}, isA: (): true => true };
}
