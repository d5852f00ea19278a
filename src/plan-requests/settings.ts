import { X509Certificate } from 'node:crypto';
import { join, resolve } from 'node:path';
import { readTurtle } from '../data-types/turtle';
import { RefusedSetting } from '../platform/RefusedSetting';
import { isRecord } from '../platform/isRecord';
import { readWholeNumber } from '../platform/readWholeNumber';
import { parseSettings } from '../sources/settings';
import { SKOS } from '../vocabulary';
import { messageOf } from '../platform/errors';
import { readSettingFile } from '../platform/readSettingFile';
import type { FormerBase } from './formerBases';
import { readFormerBases } from './formerBases';
import type { Polygons } from './geometry/polygons';
import { Shape } from './geometry/polygons';
import { readGeoJson } from './geometry/readZone';
import { convert, fromDegrees, isPlausible, lambert72, systems } from './geometry/systems';
import type { PlanLimits } from './limits';
import type { Organisation } from './Organisations';
import { readOrganisations } from './Organisations';
import type { OpenNetworkModel } from './packages/NetworkModel';
import { readNetworkModel } from './packages/NetworkModel';
import { readRegistry } from './registry/Registry';
import type { RegistrySettings } from './registry/Registry';
import type { Terms } from './terms';

const shippedModel = join(__dirname, '../../templates/plan-requests/network-model');
const shippedNatures = join(__dirname, '../../templates/plan-requests/nature-of-works.ttl');

/** Maximum test packages of an organisation that wait: hours, if each takes as long as it may. */
const maxTests = 100;

/** Settings of plan requests from the command line and the environment. */
export interface PlanRequestsSettings {
  /** Path segment of the service: everything is below `/ws/{planRequests}/v3`. */
  planRequests: string;
  /** JSON file of the organisations that may call. */
  organisations: string;
  /** Claim in which a token names its organisation. */
  organisationClaim: string;
  /** GeoJSON file of the service area, or empty. */
  planArea: string;
  /** SKOS file, in Turtle, with the codes of `NatureOfWorks`, or empty for the shipped one. */
  natureOfWorks: string;
  /** Working days to confirm, to answer, to complete, and for the last two with a member of the federal registry. */
  planTerms: string;
  /** Folder of uploaded packages, shared by all nodes. */
  planPackages: string;
  /** Folder of the network data model of packages, or empty for the small one of this package. */
  networkModel: string;
  /** PEM file of the authorities that issue certificates for signing packages, or empty. */
  planAuthorities: string;
  /** Comma-separated former paths and URLs of the service, which return 308 to the present one. */
  planRequestsFormer: string;
  /** JSON file of the regional registry to which zones are announced, or empty. */
  planRegistry: string;
  /** Maximum zones of an organisation, of operators and municipalities together, and maximum authorities. */
  maxPlanZones: number;
  /** Maximum positions of all zones of an organisation. */
  maxPlanPositions: number;
  /** Maximum size of the test packages of an organisation at a time, in MiB. */
  maxPlanTestMebibytes: number;
}

/** The settings after validation, with the content of the files that they name. */
export interface PlanDocuments {
  service: string;
  formerBases: FormerBase[];
  organisations: Organisation[];
  naturesOfWorks: ReadonlySet<string>;
  terms: Terms;
  limits: PlanLimits;
  /** Absolute path. */
  packages: string;
  model: OpenNetworkModel;
  /** Certificates, as PEM. */
  authorities: string[];
  /** In {@link lambert72}. */
  area?: Shape;
  /** The regional registry, when there is one. */
  registry?: RegistrySettings;
}

/**
 * Validates the settings and reads their files.
 *
 * @param settings - The settings.
 * @param env - Environment variables, including the secret that the registry's file names.
 *
 * @throws Error that names the flag, or the file and the member.
 */
export async function readPlanDocuments(
  settings: PlanRequestsSettings,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<PlanDocuments> {
  const { natureOfWorks, networkModel, organisations, planArea, planRegistry, planRequests, planTerms } = settings;
  if (!/^[a-z\d](?:[a-z\d-]{0,38}[a-z\d])?$/u.test(planRequests)) {
    throw new RefusedSetting(
      '--planRequests must be a path segment of small letters, digits and hyphens, such as plans',
    );
  }
  if (organisations === '') {
    throw new RefusedSetting('--organisations must name a JSON file');
  }
  return {
    service: planRequests,
    formerBases: readFormerBases(settings.planRequestsFormer, planRequests),
    organisations: await readOrganisations(resolve(organisations)),
    naturesOfWorks: await readNatures(natureOfWorks === '' ? shippedNatures : resolve(natureOfWorks)),
    terms: readTerms(planTerms),
    limits: readLimits(settings),
    packages: readFolder(settings.planPackages),
    model: await readNetworkModel(networkModel === '' ? shippedModel : resolve(networkModel)),
    authorities: await readAuthorities(settings.planAuthorities),
    ...planRegistry !== '' && { registry: await readRegistry(resolve(planRegistry), env) },
    ...planArea !== '' && { area: new Shape(await readArea(resolve(planArea))) },
  };
}

function readFolder(planPackages: string): string {
  if (planPackages === '') {
    throw new RefusedSetting('--planPackages must name a folder');
  }
  return resolve(planPackages);
}

async function readAuthorities(file: string): Promise<string[]> {
  if (file === '') {
    return [];
  }
  const content = await readSettingFile('--planAuthorities', file);
  const found = content.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/gu) ?? [];
  try {
    if (found.length > 0 && found.every((pem): boolean => new X509Certificate(pem).ca)) {
      return [ ...found ];
    }
  } catch {
    // Refused below.
  }
  throw new RefusedSetting(`--planAuthorities: ${file} is not PEM of certificates of authorities`);
}

/** Reads the codes: the notations of the concepts. */
async function readNatures(file: string): Promise<ReadonlySet<string>> {
  const { store } = await readTurtle(file, 'urn:css-data-sharing:nature-of-works').catch((cause: unknown): never => {
    throw new RefusedSetting(`--natureOfWorks: ${messageOf(cause)}`, { cause });
  });
  const codes = store.getObjects(null, SKOS.notation, null).map(({ value }): string => value);
  if (codes.length === 0) {
    throw new RefusedSetting(`--natureOfWorks: ${file} has no skos:notation`);
  }
  return new Set(codes);
}

function readTerms(text: string): Terms {
  if (!/^[1-9]\d{0,2}(?:,[1-9]\d{0,2}){3}$/u.test(text)) {
    throw new RefusedSetting('--planTerms must be four numbers of working days, such as 2,5,7,15');
  }
  const [ confirm, answer, complete, klim ] = text.split(',').map(Number);
  return { confirm, answer, package: complete, klim };
}

function readLimits({ maxPlanPositions, maxPlanTestMebibytes, maxPlanZones }: PlanRequestsSettings): PlanLimits {
  return {
    zones: readWholeNumber('maxPlanZones', maxPlanZones),
    positions: readWholeNumber('maxPlanPositions', maxPlanPositions),
    testBytes: readWholeNumber('maxPlanTestMebibytes', maxPlanTestMebibytes) * 1024 * 1024,
    tests: maxTests,
  };
}

/** Reads the area from GeoJSON: in degrees of WGS 84 as in RFC 7946, section 4, or in metres as zones are. */
async function readArea(file: string): Promise<Polygons> {
  const content = await readSettingFile('--planArea', file);
  const geometries = geometriesIn(parseSettings(file, content));
  try {
    const polygons = geometries.flatMap((geometry): Polygons => readGeoJson(geometry));
    const area = polygons.length > 0 ? toLambert72(polygons) : undefined;
    if (area) {
      return area;
    }
  } catch {
    // Refused below.
  }
  throw new RefusedSetting(`--planArea: ${file} is not GeoJSON of polygons in degrees, or in metres in Belgium`);
}

/** Converts polygons in the only system that they can be in, if there is one. */
function toLambert72(polygons: Polygons): Polygons | undefined {
  const positions = polygons.flat(2);
  if (positions.every(([ x, y ]): boolean => Math.abs(x) <= 180 && Math.abs(y) <= 90)) {
    return fromDegrees(polygons, lambert72);
  }
  const system = systems.find((each): boolean => positions.every((position): boolean => isPlausible(position, each)));
  return system && convert(polygons, system, lambert72);
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
