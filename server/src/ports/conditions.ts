import type { ProviderProvenance } from "../domain/schemas.ts";
import type { Position } from "./maps.ts";

/** Null: the provider does not say. Temperatures in °C, speeds in km/h, precipitation in mm. */
interface CurrentWeather {
  /** Local time at the place. */
  localTime: string;
  /** A code of table 4677 of the World Meteorological Organization. */
  weatherCode: number | null;
  temperatureCelsius: number | null;
  feelsLikeCelsius: number | null;
  windKilometersPerHour: number | null;
}

interface WeatherDay {
  date: string;
  weatherCode: number | null;
  highCelsius: number | null;
  lowCelsius: number | null;
  precipitationMillimeters: number | null;
  precipitationProbabilityPercent: number | null;
  uvIndex: number | null;
}

export interface Weather {
  current: CurrentWeather;
  /** Today first. */
  days: readonly WeatherDay[];
}

export const pollutants = ["pm2_5", "pm10", "ozone", "nitrogen_dioxide"] as const;
type Pollutant = (typeof pollutants)[number];

export interface AirQuality {
  /** Local time at the place. */
  localTime: string;
  /** The index of the United States Environmental Protection Agency, 0 to 500. */
  usAqi: number | null;
  /** The index of the European Environment Agency, 0 to over 100. */
  europeanAqi: number | null;
  microgramsPerCubicMeter: Readonly<Record<Pollutant, number | null>>;
}

/** Undefined: no provider is configured, or none answers now; the provenance says which. */
interface Known<Answer> {
  answer: Answer | undefined;
  provenance: ProviderProvenance;
}

/** Current conditions from providers. Never fails: the other parts of a brief do not wait for these. */
export interface Conditions {
  weatherAt(position: Position, signal?: AbortSignal): Promise<Known<Weather>>;
  airAt(position: Position, signal?: AbortSignal): Promise<Known<AirQuality>>;
}
