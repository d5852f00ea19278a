import proj4 from 'proj4';
import type { Polygons, Position } from './polygons';
import { mapPositions } from './polygons';

/** Coordinate systems that zones may be given in, in metres. */
export const systems = [ 'EPSG:31370', 'EPSG:3812' ] as const;

/** A coordinate system in metres. */
export type System = typeof systems[number];

/** The system that zones are compared in, and the default: Belgian Lambert 72. */
export const lambert72: System = 'EPSG:31370';

interface SystemFacts {
  /** Parameters in the notation of PROJ. */
  definition: string;
  /** Bounds of Belgium, with some kilometres around: left, bottom, right and top. */
  bounds: readonly [number, number, number, number];
}

/**
 * Parameters of the two systems. The seven parameters of the datum transformation are those of EPSG:15929, with
 * rotations in the position vector convention of PROJ: with the other sign, positions are 60 m off.
 *
 * @see [EPSG:31370](https://epsg.io/31370), [EPSG:3812](https://epsg.io/3812)
 */
const facts: Record<System, SystemFacts> = {
  'EPSG:31370': {
    definition: '+proj=lcc +lat_0=90 +lon_0=4.36748666666667 +lat_1=51.1666672333333 +lat_2=49.8333339 ' +
      '+x_0=150000.013 +y_0=5400088.438 +ellps=intl ' +
      '+towgs84=-106.8686,52.2978,-103.7239,0.3366,-0.457,1.8422,-1.2747 +units=m +no_defs',
    bounds: [ 10_000, 15_000, 300_000, 255_000 ],
  },
  'EPSG:3812': {
    definition: '+proj=lcc +lat_0=50.797815 +lon_0=4.35921583333333 +lat_1=49.8333333333333 +lat_2=51.1666666666667 ' +
      '+x_0=649328 +y_0=665262 +ellps=GRS80 +towgs84=0,0,0,0,0,0,0 +units=m +no_defs',
    bounds: [ 510_000, 515_000, 800_000, 755_000 ],
  },
};

const degrees = 'WGS84';
const converters = new Map<string, proj4.Converter>();

/** Converts polygons from one system to the other. */
export function convert(polygons: Polygons, from: System, to: System): Polygons {
  return from === to ? polygons : convertBetween(polygons, facts[from].definition, facts[to].definition);
}

/** Converts polygons from longitudes and latitudes (WGS 84), as in GeoJSON. */
export function fromDegrees(polygons: Polygons, to: System): Polygons {
  return convertBetween(polygons, degrees, facts[to].definition);
}

/** Checks whether a position of a system can be in Belgium. */
export function isPlausible([ x, y ]: Position, system: System): boolean {
  const [ left, bottom, right, top ] = facts[system].bounds;
  return x >= left && x <= right && y >= bottom && y <= top;
}

function convertBetween(polygons: Polygons, from: string, to: string): Polygons {
  const key = `${from} ${to}`;
  const converter = converters.get(key) ?? proj4(from, to);
  converters.set(key, converter);
  return mapPositions(polygons, ([ x, y ]): Position => {
    const [ newX, newY ] = converter.forward([ x, y ]);
    return [ newX, newY ];
  });
}
