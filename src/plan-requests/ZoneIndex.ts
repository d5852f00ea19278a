import RBush from 'rbush';
import { KeyedMutex } from '../platform/KeyedMutex';
import { groupBy } from '../platform/lists';
import { opened } from '../platform/opened';
import type { Box, Polygons, Shape } from './geometry/polygons';
import { boxOf } from './geometry/polygons';
import type { Una, ZoneVersionStore } from './PlanStores';

interface Item<TZone> extends Box {
  zone: TZone;
  polygons: Polygons;
  /** True once the zone was changed or removed. */
  isGone?: true;
}

/** An operator's zone in the index. */
export interface FoundUnaZone {
  id: string;
  unaId: string;
}

/** A municipality's zone in the index. */
export interface FoundPdaZone {
  id: string;
  organisationId: string;
}

/**
 * Zones of one kind in an R-tree. Items of zones that were changed or removed stay in it until they are half of all:
 * finding one among others with boxes alike takes as long as reading all of those.
 */
class Zones<TZone extends { id: string }> {
  private readonly tree = new RBush<Item<TZone>>();
  private readonly items = new Map<string, Item<TZone>[]>();
  /** Number of items in the tree, and of those that are gone. */
  private readonly count = { all: 0, gone: 0 };

  /** Adds zones, replacing those with the same ids. Zones without polygons are only removed. */
  public put(zones: readonly (TZone & { polygons?: Polygons[] })[]): void {
    const fresh: Item<TZone>[][] = [];
    for (const { polygons, ...rest } of zones) {
      // TypeScript does not see that `rest` is the zone without its polygons.
      const zone = opened<TZone>(rest);
      for (const item of this.items.get(zone.id) ?? []) {
        item.isGone = true;
        this.count.gone += 1;
      }
      const items = (polygons ?? []).map((each): Item<TZone> => ({ zone, polygons: each, ...boxOf(each) }));
      this.items.delete(zone.id);
      if (polygons) {
        this.items.set(zone.id, items);
      }
      fresh.push(items);
    }
    this.load(fresh.flat());
    if (this.count.gone * 2 > this.count.all) {
      const present = this.tree.all().filter(({ isGone }): boolean => !isGone);
      this.tree.clear();
      this.count.all = 0;
      this.count.gone = 0;
      this.load(present);
    }
  }

  /** Finds the zones that have a point in common with a shape. */
  public async find(shape: Shape): Promise<TZone[]> {
    const found = new Map<string, TZone>();
    for (const { isGone, polygons, zone, ...box } of this.tree.search(shape.box)) {
      if (!isGone && !found.has(zone.id) && await shape.meets(polygons, box)) {
        found.set(zone.id, zone);
      }
    }
    return [ ...found.values() ];
  }

  private load(items: readonly Item<TZone>[]): void {
    this.tree.load(items);
    this.count.all += items.length;
  }
}

/**
 * The zones of all operators and municipalities, in the memory of each process. Every look-up first reads the number of
 * the latest change from the records, and loads the changes that are not known here yet.
 */
export class ZoneIndex {
  private readonly unas = new Map<string, Una>();
  private readonly unaZones = new Zones<FoundUnaZone>();
  private readonly pdaZones = new Zones<FoundPdaZone>();
  private readonly mutex = new KeyedMutex();
  private version = 0;

  public constructor(private readonly changes: ZoneVersionStore) {}

  /** Finds the operators' zones that a shape meets, by operator. */
  public async findUnas(shape: Shape): Promise<Map<Una, string[]>> {
    await this.refresh();
    const found = groupBy(await this.unaZones.find(shape), (zone): Una => this.unaOf(zone));
    return new Map([ ...found ].map(([ una, zones ]): [Una, string[]] => [ una, zones.map(({ id }): string => id) ]));
  }

  /** Finds the municipalities' zones that a shape meets. */
  public async findPdaZones(shape: Shape): Promise<FoundPdaZone[]> {
    await this.refresh();
    return this.pdaZones.find(shape);
  }

  private unaOf({ id, unaId }: FoundUnaZone): Una {
    const una = this.unas.get(unaId);
    // Without its operator, a zone that a digger meets would be left out unnoticed.
    if (!una) {
      throw new Error(`The operator of zone ${id} is not loaded`);
    }
    return una;
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
