import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isRecord } from '../platform/isRecord';
import { parseSettings } from '../sources/settings';
import type { Polygons } from './geometry/polygons';
import { Shape } from './geometry/polygons';
import { readGeoJson } from './geometry/readZone';
import { fromDegrees, lambert72 } from './geometry/systems';
import type { Organisation } from './Organisations';
import { readOrganisations } from './Organisations';

/** Settings of plan requests, as the command line and the environment give them. */
export interface PlanRequestsSettings {
  /** Path segment of the service: everything is below `/ws/{planRequests}/v3`. */
  planRequests: string;
  /** JSON file of the organisations that may call. */
  organisations: string;
  /** Name of the claim by which a token names its organisation. */
  organisationClaim: string;
  /** GeoJSON file of the service area, or empty. */
  planArea: string;
}

/** The settings after their check, and the files that they name. */
export interface PlanDocuments {
  service: string;
  organisations: Organisation[];
  /** In {@link lambert72}. */
  area?: Shape;
}

/**
 * Checks the settings and reads the files.
 *
 * @throws Error that names the flag, or file and member.
 */
export async function readPlanDocuments(settings: PlanRequestsSettings): Promise<PlanDocuments> {
  const { organisations, planArea, planRequests } = settings;
  if (!/^[a-z\d](?:[a-z\d-]{0,38}[a-z\d])?$/u.test(planRequests)) {
    throw new Error('--planRequests must be a path segment of small letters, digits and hyphens, such as plans');
  }
  if (organisations === '') {
    throw new Error('--organisations must name a JSON file');
  }
  return {
    service: planRequests,
    organisations: await readOrganisations(resolve(organisations)),
    ...planArea !== '' && { area: new Shape(await readArea(resolve(planArea))) },
  };
}

/** GeoJSON is in degrees of WGS 84: RFC 7946, section 4. */
async function readArea(file: string): Promise<Polygons> {
  const content = await readFile(file, 'utf8').catch((cause: unknown): never => {
    throw new Error(`--planArea: ${file} cannot be read`, { cause });
  });
  const geometries = geometriesIn(parseSettings(file, content));
  try {
    const polygons = geometries.flatMap((geometry): Polygons => readGeoJson(geometry));
    if (polygons.length > 0 && polygons.flat(2).every(([ x, y ]): boolean => Math.abs(x) <= 180 && Math.abs(y) <= 90)) {
      return fromDegrees(polygons, lambert72);
    }
  } catch {
    // As below.
  }
  throw new Error(`--planArea: ${file} is not GeoJSON of polygons in degrees`);
}

function geometriesIn(document: unknown): unknown[] {
  if (!isRecord(document)) {
    return [];
  }
  if (document.type === 'FeatureCollection' && Array.isArray(document.features)) {
    return document.features.flatMap(geometriesIn);
  }
  return document.type === 'Feature' ? [ document.geometry ] : [ document ];
}
