import { type GoogleApi, googleHosts } from "../adapters/google-maps/google-source.ts";
import type { Config } from "../config/config.ts";
import type { HttpClient } from "../platform/http-client/http-client.ts";
import { OpenSource } from "../platform/providers/open-source.ts";
import type { Provider } from "../platform/providers/provider.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

/** The configured open providers, one instance each: its limit covers all questions. */
export type OpenSources = ReturnType<typeof openSources>;

/** The free service's limit. */
const OPEN_METEO_MILLISECONDS_BETWEEN = 100;
/** Holds several hundred pictures. */
const TILE_CACHE_BYTES = 8 * 1024 * 1024;

export function openSources(config: Config, { http, clock, log }: { http: HttpClient; clock: Clock; log: Log }) {
  const userAgent = `wayfare (${config.providersContact ?? config.publicAppUrl ?? "self-hosted"})`;
  const timeoutMilliseconds = config.providersTimeoutMilliseconds;
  const common = { timeoutMilliseconds, http, clock, log, userAgent };
  const open = (
    name: string,
    baseUrl: string | undefined,
    millisecondsBetween: number,
    more: { cacheBytes?: number } = {},
  ): OpenSource | undefined =>
    baseUrl === undefined ? undefined : new OpenSource({ name, baseUrl, millisecondsBetween, ...common, ...more });
  const openGoogle = (host: string): GoogleApi | undefined => {
    const key = config.googleMapsKey;
    const baseUrl = config.googleMapsUrl === undefined ? `https://${host}` : `${config.googleMapsUrl}/${host}`;
    const source = open("google-maps", key === undefined ? undefined : baseUrl, config.googleMapsMillisecondsBetween);
    return key === undefined || source === undefined ? undefined : { source, key };
  };
  return {
    google: {
      geocoding: openGoogle(googleHosts.geocoding),
      elevation: openGoogle(googleHosts.elevation),
      timeZone: openGoogle(googleHosts.timeZone),
      addresses: openGoogle(googleHosts.addresses),
      places: openGoogle(googleHosts.places),
      routes: openGoogle(googleHosts.routes),
      weather: openGoogle(googleHosts.weather),
      airQuality: openGoogle(googleHosts.airQuality),
    },
    nominatim: open("nominatim", config.nominatimUrl, config.nominatimMillisecondsBetween),
    openTopoData: open("opentopodata", config.openTopoDataUrl, config.openTopoDataMillisecondsBetween),
    openMeteo: open("open-meteo", config.openMeteoUrl, OPEN_METEO_MILLISECONDS_BETWEEN),
    overpass: open("overpass", config.overpassUrl, config.overpassMillisecondsBetween),
    osrm: {
      driving: open("osrm", config.osrmDrivingUrl, config.osrmMillisecondsBetween),
      walking: open("osrm", config.osrmWalkingUrl, config.osrmMillisecondsBetween),
      bicycling: open("osrm", config.osrmBicyclingUrl, config.osrmMillisecondsBetween),
    },
    mapTiles: open("osm-tiles", config.mapTilesUrl, config.mapTilesMillisecondsBetween, {
      cacheBytes: TILE_CACHE_BYTES,
    }),
    openMeteoAirQuality: open("open-meteo", config.openMeteoAirQualityUrl, OPEN_METEO_MILLISECONDS_BETWEEN),
  };
}

/** The configured providers, in the given order. */
export function inOrder<Name extends string, Question, Answer>(
  order: readonly Name[],
  providers: Readonly<Record<Name, Provider<Question, Answer> | undefined>>,
): readonly Provider<Question, Answer>[] {
  return order.map((name) => providers[name]).filter((provider) => provider !== undefined);
}

/** The provider for a source, if that is configured. */
export function over<Source, Made>(source: Source | undefined, make: (source: Source) => Made): Made | undefined {
  return source === undefined ? undefined : make(source);
}
