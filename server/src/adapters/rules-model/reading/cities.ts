/**
 * Cities that people name most, one a line: IATA code of the city or of its airport, country, and names in the languages
 * that are understood. A name after a tilde is an ordinary word, too, and needs a preposition or a capital. Other places
 * are looked up by a tool.
 */
export const CITIES = `
LON GB London|Londres|LDN
LHR GB Heathrow|London Heathrow|Londres Heathrow
LGW GB Gatwick|London Gatwick
STN GB Stansted|London Stansted
LTN GB Luton|London Luton
LCY GB London City Airport
MAN GB Manchester|Mánchester
EDI GB Edinburgh|Edimburgo
GLA GB Glasgow
BHX GB Birmingham
BRS GB Bristol
BFS GB Belfast
LPL GB Liverpool
DUB IE Dublin|Dublín
ORK IE ~Cork
PAR FR Paris|París
CDG FR Charles de Gaulle|Roissy|Paris CDG
ORY FR Orly
NCE FR ~Nice|Nizza|Niza
LYS FR Lyon
MRS FR Marseille|Marsella
TLS FR Toulouse
BOD FR Bordeaux|Burdeos
NTE FR Nantes
BER DE Berlin|Berliner Flughafen|Berlín
HAM DE Hamburg|Hamburger Flughafen|Hamburgo
MUC DE Munich|Münchner Flughafen|Münchener Flughafen|München|Múnich
FRA DE Frankfurt|Frankfurter Flughafen|Frankfurt am Main|Fráncfort|Francfort
CGN DE Cologne|Köln|Colonia
DUS DE Düsseldorf|Duesseldorf
STR DE Stuttgart
HAJ DE Hanover|Hannover
LEJ DE Leipzig
DRS DE Dresden|Dresde
NUE DE Nuremberg|Nürnberg|Núremberg
BRE DE Bremen
DTM DE Dortmund
VIE AT Vienna|Wiener Flughafen|Wien|Viena
SZG AT Salzburg|Salzburgo
INN AT Innsbruck
GRZ AT Graz
ZRH CH Zurich|Zürcher Flughafen|Zürich|Zúrich
GVA CH Geneva|Genf|Ginebra
EAP CH Basel|Basilea
BRN CH Bern|Berna
MAD ES Madrid|Barajas
BCN ES Barcelona|El Prat
VLC ES Valencia
SVQ ES Seville|Sevilla
AGP ES Malaga|Málaga
BIO ES Bilbao
ALC ES Alicante
PMI ES Palma|Mallorca|Palma de Mallorca|Majorca
IBZ ES Ibiza
LPA ES Gran Canaria|Las Palmas
TCI ES Tenerife|Teneriffa
ACE ES Lanzarote
FUE ES Fuerteventura
GRX ES Granada
SCQ ES Santiago de Compostela
LIS PT Lisbon|Lissabon|Lisboa
OPO PT Porto|Oporto
FAO PT ~Faro
FNC PT Madeira|Funchal
ROM IT Rome|Rom|Roma
FCO IT Fiumicino
MIL IT Milan|Mailand|Milán|Milano
MXP IT Malpensa
VCE IT Venice|Venedig|Venecia
FLR IT Florence|Florenz|Florencia
NAP IT Naples|Neapel|Nápoles
BLQ IT Bologna|Bolonia
TRN IT Turin|Turín
PSA IT Pisa
CTA IT Catania
PMO IT Palermo
AMS NL Amsterdam|Ámsterdam|Schiphol
RTM NL Rotterdam|Róterdam
EIN NL Eindhoven
BRU BE Brussels|Brüssel|Bruselas
LUX LU Luxemburg City|Luxembourg City
CPH DK Copenhagen|Kopenhagen|Copenhague
STO SE Stockholm|Estocolmo
GOT SE Gothenburg|Göteborg|Gotemburgo
OSL NO Oslo
BGO NO Bergen
HEL FI Helsinki
REK IS Reykjavik|Reikiavik
TLL EE Tallinn|Tallin
RIX LV Riga
VNO LT Vilnius
WAW PL Warsaw|Warschau|Varsovia
KRK PL Krakow|Cracow|Krakau|Cracovia
GDN PL Gdansk|Danzig
PRG CZ Prague|Prag|Praga
BUD HU Budapest
BUH RO Bucharest|Bukarest|Bucarest
SOF BG Sofia|Sofía
BEG RS Belgrade|Belgrad|Belgrado
ZAG HR Zagreb
SPU HR ~Split
DBV HR Dubrovnik
ATH GR Athens|Athen|Atenas
SKG GR Thessaloniki|Salónica
HER GR Heraklion|Crete|Kreta|Creta
RHO GR Rhodes|Rhodos|Rodas
LCA CY Larnaca
MLA MT Malta|Valletta
IST TR Istanbul|Estambul
AYT TR Antalya
MOW RU Moscow|Moskau|Moscú
IEV UA Kyiv|Kiev|Kiew
TLV IL Tel Aviv
CAI EG Cairo|Kairo|El Cairo
RAK MA Marrakesh|Marrakech|Marrakesch
CAS MA Casablanca
TUN TN Tunis|Túnez
CPT ZA Cape Town|Kapstadt|Ciudad del Cabo
JNB ZA Johannesburg|Johannesburgo
NBO KE Nairobi
LOS NG Lagos
ADD ET Addis Ababa|Addis Abeba
DXB AE Dubai|Dubái
AUH AE Abu Dhabi|Abu Dabi
DOH QA Doha
RUH SA Riyadh|Riad
DEL IN Delhi|New Delhi|Neu-Delhi|Nueva Delhi|Neu Delhi
BOM IN Mumbai|Bombay
BLR IN Bangalore|Bengaluru
MLE MV Maldives|Malediven|Maldivas
BKK TH Bangkok
HKT TH Phuket
SIN SG Singapore|Singapur
KUL MY Kuala Lumpur
JKT ID Jakarta|Yakarta
DPS ID Bali|Denpasar
MNL PH Manila
HKG HK Hong Kong|Hongkong
TPE TW Taipei
SEL KR Seoul|Seúl
TYO JP Tokyo|Tokio
NRT JP Narita
HND JP Haneda
OSA JP Osaka
BJS CN Beijing|Peking|Pekín
SHA CN Shanghai|Schanghai|Shanghái
SYD AU Sydney|Sídney|Sidney
MEL AU Melbourne
AKL NZ Auckland
NYC US New York|Nueva York|New York City|NYC
JFK US JFK|Kennedy
EWR US Newark
LGA US LaGuardia
LAX US Los Angeles|Los Ángeles|LAX
SFO US San Francisco
CHI US Chicago
ORD US O'Hare
BOS US Boston
WAS US Washington|Washington DC
MIA US Miami
ORL US Orlando
LAS US Las Vegas
SEA US Seattle
DEN US Denver
ATL US Atlanta
DFW US Dallas
HOU US Houston
PHL US Philadelphia|Filadelfia
PHX US Phoenix
SAN US San Diego
AUS US Austin
MSY US New Orleans|Nueva Orleans
HNL US Honolulu|Hawaii|Hawái
YTO CA Toronto
YVR CA Vancouver
YMQ CA Montreal
MEX MX Mexico City|Mexiko-Stadt|Mexiko Stadt|Ciudad de México|México DF|CDMX
CUN MX Cancun|Cancún
GDL MX Guadalajara
MTY MX Monterrey
HAV CU Havana|Havanna|La Habana
PUJ DO Punta Cana
SDQ DO Santo Domingo
PTY PA Panama City|Panama-Stadt|Ciudad de Panamá
BOG CO Bogota|Bogotá
MDE CO Medellin|Medellín
CTG CO Cartagena
UIO EC Quito
LIM PE ~Lima
CCS VE Caracas
SCL CL Santiago|Santiago de Chile
BUE AR Buenos Aires
MVD UY Montevideo
RIO BR Rio de Janeiro|Río de Janeiro|Rio
SAO BR Sao Paulo|São Paulo
SJO CR San Jose|San José
`;

/** IATA codes of airlines with the names that people use. */
export const AIRLINES = `
BA British Airways|~British
VS Virgin Atlantic|~Virgin
EI Aer Lingus
LH Lufthansa
LX ~Swiss
OS ~Austrian|Austrian Airlines
EW Eurowings
AF Air France
KL KLM
SN Brussels Airlines
IB Iberia
UX Air Europa
VY Vueling
FR Ryanair
U2 easyJet
TP ~TAP|TAP Air Portugal
AZ ~ITA|ITA Airways|Alitalia
SK ~SAS|Scandinavian
AY Finnair
DY ~Norwegian
LO ~LOT
TK Turkish Airlines|Turkish
A3 Aegean
EK Emirates
QR Qatar Airways|~Qatar
EY Etihad
SQ Singapore Airlines
CX Cathay Pacific|~Cathay
TG Thai Airways
NH ~ANA|All Nippon
JL JAL|Japan Airlines
KE Korean Air
QF Qantas
AA American Airlines|~American
DL ~Delta
UA ~United|United Airlines
B6 JetBlue
AS Alaska Airlines
WN ~Southwest
AC Air Canada
AM Aeromexico|Aeroméxico
LA LATAM
AV Avianca
CM ~Copa
AR Aerolineas Argentinas|Aerolíneas Argentinas
`;
