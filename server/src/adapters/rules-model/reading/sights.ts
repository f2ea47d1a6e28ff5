import { fold } from "./marks.ts";

/** Sights whose German or Spanish names the maps do not know, one a line: the name that they know, then the others. */
const SIGHTS = `
Colosseum|Kolosseum|Coliseo|el Coliseo
Eiffel Tower|Eiffelturm|Torre Eiffel
Brandenburg Gate|Puerta de Brandeburgo
St Mark's Square|Markusplatz|Plaza de San Marcos|San Marcos
Trevi Fountain|Trevi-Brunnen|Trevibrunnen|Fontana de Trevi|Fuente de Trevi
Buckingham Palace|Buckingham-Palast|Palacio de Buckingham
Tower of London|Tower von London|Torre de Londres
Tower Bridge|Puente de la Torre
British Museum|Britisches Museum|Museo Británico
St. Peter's Basilica|Petersdom|Basílica de San Pedro
Vatican City|Vatikanstadt|Ciudad del Vaticano|Vaticano
Charles Bridge|Karlsbrücke|Puente de Carlos
Acropolis of Athens|Akropolis|Acrópolis
Pantheon, Rome|Panteón
St. Stephen's Cathedral|Catedral de San Esteban
Louvre Museum|Museo del Louvre
Times Square|Plaza Times
Statue of Liberty|Freiheitsstatue|Estatua de la Libertad
Sagrada Família|Heilige Familie
`;

const known: ReadonlyMap<string, string> = new Map(
  SIGHTS.trim()
    .split("\n")
    .flatMap((line) => {
      const [name = "", ...others] = line.split("|");
      return others.map((other) => [fold(other), name] as const);
    }),
);

/** The name by which the maps know the sight; its own where there is no other. */
export const nameSight = (said: string): string => known.get(fold(said)) ?? said;
