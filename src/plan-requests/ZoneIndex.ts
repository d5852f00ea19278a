import RBush from 'rbush';
import { KeyedMutex } from '../platform/KeyedMutex';
import { opened } from '../platform/opened';
import type { Box, Polygons, Shape } from './geometry/polygons';
import { boxOf } from './geometry/polygons';
import type { Una, ZoneVersionStore } from './PlanStores';

interface Item<TZone> extends Box {
  zone: TZone;
  polygons: Polygons;
}

/** A zone of an operator, as the index finds it. */
export interface FoundUnaZone {
  id: string;
  unaId: string;
}

/** A zone of a municipality, as the index finds it. */
export interface FoundPdaZone {
  id: string;
  organisationId: string;
}

/** Zones of one kind in an R-tree. */
class Zones<TZone extends { id: string }> {
  private readonly tree = new RBush<Item<TZone>>();
  private readonly items = new Map<string, Item<TZone>[]>();

  /** Takes zones in the place of those that have the same ids. */
  public put(zones: readonly (TZone & { polygons?: Polygons[] })[]): void {
    const fresh: Item<TZone>[] = [];
    for (const { polygons, ...rest } of zones) {
      // TypeScript does not see that a zone without its polygons is left.
      const zone = opened<TZone>(rest);
      for (const item of this.items.get(zone.id) ?? []) {
        this.tree.remove(item);
      }
      const items = (polygons ?? []).map((each): Item<TZone> => ({ zone, polygons: each, ...boxOf(each) }));
      this.items.delete(zone.id);
      if (polygons) {
        this.items.set(zone.id, items);
      }
      fresh.push(...items);
    }
    this.tree.load(fresh);
  }

  /** Finds the zones that have a point in common with a shape. */
  public async find(shape: Shape): Promise<TZone[]> {
    const found = new Map<string, TZone>();
    for (const { polygons, zone, ...box } of this.tree.search(shape.box)) {
      if (!found.has(zone.id) && await shape.meets(polygons, box)) {
        found.set(zone.id, zone);
      }
    }
    return [ ...found.values() ];
  }
}

/**
 * The zones of all operators and municipalities in memory, each process its own. Every look-up first asks the records
 * for the number of the latest change, and reads what changed since the one that is known here.
 */
export class ZoneIndex {
  private readonly unas = new Map<string, Una>();
  private readonly unaZones = new Zones<FoundUnaZone>();
  private readonly pdaZones = new Zones<FoundPdaZone>();
  private readonly mutex = new KeyedMutex();
  private version = 0;

  public constructor(private readonly changes: ZoneVersionStore) {}

  /** Finds the zones of operators that a shape meets, by operator. */
  public async findUnas(shape: Shape): Promise<Map<Una, string[]>> {
    await this.refresh();
    const found = new Map<Una, string[]>();
    for (const { id, unaId } of await this.unaZones.find(shape)) {
      const una = this.unas.get(unaId);
      if (una) {
        found.set(una, [ ...found.get(una) ?? [], id ]);
      }
    }
    return found;
  }

  /** Finds the zones of municipalities that a shape meets. */
  public async findPdaZones(shape: Shape): Promise<FoundPdaZone[]> {
    await this.refresh();
    return this.pdaZones.find(shape);
  }

  private async refresh(): Promise<void> {
    if (await this.changes.current() === this.version) {
      return;
    }
    await this.mutex.run('zones', async(): Promise<void> => {
      const { version, unas, unaZones, pdaZones } = await this.changes.listAfter(this.version);
      for (const una of unas) {
        this.unas.set(una.id, una);
      }
      this.unaZones.put(unaZones);
      this.pdaZones.put(pdaZones);
      this.version = version;
    });
  }
}
