import { defineTexts } from "../../domain/texts.ts";

/** Advice about air quality, by the categories of the United States index. */
export const airTexts = defineTexts({
  good: {
    en: "The air quality is good. No precautions needed.",
    de: "Die Luft ist gut. Nichts zu beachten.",
    fr: "L’air est bon. Rien à signaler.",
    es: "El aire es bueno. Nada que tener en cuenta.",
    pt: "O ar está bom. Nada a assinalar.",
    "pt-BR": "O ar está bom. Não há com que se preocupar.",
    ja: "空気は良好です。特に注意は不要です。",
  },
  moderate: {
    en: "The air quality is acceptable. Unusually sensitive people should cut back on long or strenuous exercise outdoors.",
    de: "Die Luft ist annehmbar. Wer besonders empfindlich ist, sollte lange Anstrengung im Freien mäßigen.",
    fr: "L’air est acceptable. Les personnes très sensibles devraient modérer les longs efforts en plein air.",
    es: "El aire es aceptable. Las personas muy sensibles deberían moderar los esfuerzos largos al aire libre.",
    pt: "O ar é aceitável. Pessoas muito sensíveis devem moderar esforços longos ao ar livre.",
    "pt-BR": "O ar é aceitável. Pessoas muito sensíveis devem moderar esforços longos ao ar livre.",
    ja: "空気は許容範囲です。特に敏感な人は屋外での長時間の激しい運動を控えめに。",
  },
  unhealthy_for_sensitive_groups: {
    en: "People with asthma, heart or lung disease, children and older people should cut back on long or strenuous exercise outdoors and keep their medicine at hand.",
    de: "Menschen mit Asthma, Herz- oder Lungenkrankheiten, Kinder und Ältere: weniger lange oder starke Anstrengung im Freien, Medikamente griffbereit.",
    fr: "Asthme, maladies du cœur ou des poumons, enfants et personnes âgées : moins d’efforts longs ou intenses en plein air, médicaments à portée de main.",
    es: "Personas con asma o enfermedades del corazón o del pulmón, niños y mayores: menos esfuerzo largo o intenso al aire libre y la medicación a mano.",
    pt: "Pessoas com asma, doença cardíaca ou pulmonar, crianças e idosos: menos esforço longo ou intenso ao ar livre e medicação à mão.",
    "pt-BR":
      "Pessoas com asma, doença cardíaca ou pulmonar, crianças e idosos: menos esforço longo ou intenso ao ar livre e remédios à mão.",
    ja: "ぜんそく、心臓・肺の病気のある人、子ども、高齢者は屋外での長時間・激しい運動を減らし、薬を手元に。",
  },
  unhealthy: {
    en: "Everyone should cut back on long or strenuous exercise outdoors. Sensitive people should avoid it and stay indoors where possible.",
    de: "Alle: weniger lange oder starke Anstrengung im Freien. Empfindliche: keine; möglichst drinnen bleiben.",
    fr: "Tous : moins d’efforts longs ou intenses en plein air. Personnes sensibles : aucun ; rester à l’intérieur si possible.",
    es: "Todos: menos esfuerzo largo o intenso al aire libre. Personas sensibles: ninguno; quédense dentro si pueden.",
    pt: "Todos: menos esforço longo ou intenso ao ar livre. Pessoas sensíveis: nenhum; fiquem dentro de casa se puderem.",
    "pt-BR":
      "Todos: menos esforço longo ou intenso ao ar livre. Pessoas sensíveis: nenhum; fiquem em ambientes fechados se puderem.",
    ja: "すべての人は屋外での長時間・激しい運動を減らし、敏感な人は避けて、できるだけ屋内に。",
  },
  very_unhealthy: {
    en: "Everyone should avoid long or strenuous exercise outdoors and, where possible, stay indoors with closed windows and filtered air.",
    de: "Alle: keine lange oder starke Anstrengung im Freien; möglichst drinnen mit geschlossenen Fenstern und gefilterter Luft.",
    fr: "Tous : pas d’efforts longs ou intenses en plein air ; à l’intérieur, fenêtres fermées et air filtré si possible.",
    es: "Todos: ningún esfuerzo largo o intenso al aire libre; dentro, con ventanas cerradas y aire filtrado si es posible.",
    pt: "Todos: nenhum esforço longo ou intenso ao ar livre; dentro, com janelas fechadas e ar filtrado se possível.",
    "pt-BR":
      "Todos: nenhum esforço longo ou intenso ao ar livre; em ambientes internos, janelas fechadas e ar filtrado se possível.",
    ja: "すべての人は屋外での長時間・激しい運動を避け、できれば窓を閉めて空気を清浄にした屋内に。",
  },
  hazardous: {
    en: "Everyone should stay indoors with filtered air and avoid all exercise outdoors. Follow the instructions of the authorities.",
    de: "Alle: drinnen bei gefilterter Luft bleiben, keine Anstrengung im Freien. Den Anweisungen der Behörden folgen.",
    fr: "Tous : rester à l’intérieur avec un air filtré, aucun effort en plein air. Suivre les consignes des autorités.",
    es: "Todos: quédense dentro con aire filtrado y sin esfuerzo al aire libre. Sigan lo que digan las autoridades.",
    pt: "Todos: fiquem dentro com ar filtrado, sem esforço ao ar livre. Sigam as indicações das autoridades.",
    "pt-BR":
      "Todos: fiquem em ambientes internos com ar filtrado, sem esforço ao ar livre. Sigam as orientações das autoridades.",
    ja: "すべての人は空気を清浄にした屋内にとどまり、屋外での運動をしないでください。当局の指示に従ってください。",
  },
  notKnown: {
    en: "The air quality here is not known. Check the local authority's index before you exercise outdoors.",
    de: "Wie die Luft hier ist, ist nicht bekannt. Vor Anstrengung im Freien auf den Index der örtlichen Behörde schauen.",
    fr: "La qualité de l’air ici n’est pas connue. Consultez l’indice de l’autorité locale avant un effort en plein air.",
    es: "No se conoce la calidad del aire aquí. Mire el índice de la autoridad local antes de hacer esfuerzo al aire libre.",
    pt: "Não se conhece a qualidade do ar aqui. Veja o índice da autoridade local antes de esforço ao ar livre.",
    "pt-BR":
      "Não se conhece a qualidade do ar aqui. Veja o índice da autoridade local antes de se exercitar ao ar livre.",
    ja: "ここの空気の状態は不明です。屋外で運動する前に現地当局の指数を確認してください。",
  },
  general: {
    en: "If you have asthma, heart or lung disease, keep your medicine at hand, and go indoors if you see or smell smoke or haze.",
    de: "Mit Asthma, Herz- oder Lungenkrankheit Medikamente griffbereit halten und hineingehen, wenn Rauch oder Dunst zu sehen oder zu riechen ist.",
    fr: "En cas d’asthme ou de maladie du cœur ou des poumons, gardez vos médicaments à portée de main et rentrez si de la fumée ou une brume se voit ou se sent.",
    es: "Con asma o enfermedad del corazón o del pulmón, tenga la medicación a mano y entre si se ve o se huele humo o calima.",
    pt: "Com asma, doença cardíaca ou pulmonar, tenha a medicação à mão e entre se vir ou cheirar fumo ou névoa.",
    "pt-BR":
      "Com asma, doença cardíaca ou pulmonar, tenha os remédios à mão e entre se vir ou sentir cheiro de fumaça ou névoa.",
    ja: "ぜんそく、心臓・肺の病気のある人は薬を手元に置き、煙やもやが見えたり臭ったりしたら屋内に入ってください。",
  },
});
