/** The meanings of words beside an amount. */
export type Mark =
  | "total"
  | "vague_total"
  | "due"
  | "net"
  | "base"
  | "tax"
  | "levy"
  | "included"
  | "excluded"
  | "tip"
  | "service"
  | "discount"
  | "rounding"
  | "deposit"
  | "cash"
  | "card"
  | "change"
  | "ignored";

export type LanguageCode = "eng" | "deu" | "fra" | "spa" | "por" | "jpn";

/** Words by language, in lower case and without accents; Latin words are separated by one space. */
export const labelWords: Readonly<Record<LanguageCode, Partial<Record<Mark, string>>>> = {
  eng: {
    total:
      "total, grand total, total amount, total sum, total fare, total price, total charges, total charge, order total, invoice total, total sale, total refund, total refunded, refund total, amount charged, total charged",
    vague_total: "amount, sum, charged, sale, refund amount, refund, purchase",
    due: "amount due, balance due, total due, balance, amount payable, total payable, please pay, outstanding, to pay, balance to pay, remaining balance, due now",
    net: "net, subtotal, sub total, net amount, net total, total net, net value, food and beverage total, pre tax",
    base: "taxable, taxable amount, net of tax, tax base, goods",
    tax: "tax, vat, sales tax, gst, hst, pst, qst, cgst, sgst, igst, taxes, tax amount, vat amount, state tax, county tax, local tax, taxes and fees, taxes fees and charges, taxes fees charges, taxes and charges, tax total, vat total",
    levy: "city tax, tourist tax, tourism tax, occupancy tax, lodging tax, room tax, hotel tax, airport tax, departure tax, bed tax",
    included: "incl, included, including, includes, inc, inclusive, thereof, of which, contains",
    excluded: "excl, excluding, exclusive, before tax, ex vat, ex tax, without, before vat, before taxes",
    tip: "tip, gratuity, tips",
    service: "service charge, service fee, service, svc chg, svc charge, svc, serv charge",
    discount: "discount, promotion, promo, coupon, voucher discount, member discount, savings, rebate, reduction",
    rounding: "rounding, round off, rounded, rounding adjustment",
    deposit:
      "deposit, prepayment, prepaid, advance, amount paid, deposit paid, less deposit, payment received, payments received, payment, payments, paid, total paid, advance payment, credit applied, less paid, less payments, deposit received, prepaid amount",
    cash: "cash, tendered, amount tendered, cash tendered, cash paid, cash received, tender",
    card: "card, visa, mastercard, amex, american express, credit card, debit, debit card, credit, maestro, contactless, apple pay, google pay, card payment, paid by card, discover, eftpos",
    change: "change, change due, change given, cash back",
    ignored:
      "you saved, you save, points, loyalty, items, item count, no of items, qty, exchange rate, rate, suggested tip, suggested gratuity, tip suggestion, average, per person, per night, miles, balance brought forward, credit limit, opening balance, equivalent, approx, carried forward, brought forward, balance forward, carry over, carried over, carry forward, amount carried over, page total",
  },
  deu: {
    total:
      "gesamt, gesamtbetrag, gesamtsumme, summe, endbetrag, rechnungsbetrag, bruttobetrag, summe brutto, brutto, gesamtpreis, endsumme, gesamt brutto, rechnungssumme, rechnungsendbetrag, total, fahrpreis gesamt, bruttosumme, gesamtbetrag brutto, erstattungsbetrag, gutschriftsbetrag",
    vague_total: "betrag, erstattung, gutschrift",
    due: "zu zahlen, zahlbetrag, zahlbarer betrag, zu zahlender betrag, offener betrag, restbetrag, noch zu zahlen, restzahlung, verbleibender betrag, falliger betrag, noch offen, offener rest, offen",
    net: "zwischensumme, netto, nettobetrag, nettosumme, summe netto, netto betrag, nettowert, gesamt netto, warenwert, gesamtnetto, nettogesamt, rechnungsbetrag netto",
    base: "bemessungsgrundlage, netto umsatz, nettoumsatz",
    tax: "mwst, mehrwertsteuer, ust, umsatzsteuer, mwst betrag, steuer, steuerbetrag, mw st, u st, mwst gesamt, steuern, steuer gesamt, umsatzsteuerbetrag, steuern und gebuhren",
    levy: "kurtaxe, citytax, bettensteuer, ortstaxe, tourismusabgabe, beherbergungssteuer, kurabgabe",
    included:
      "inkl, inklusive, enthalten, enthaltene, enthaltener, enthalt, darin, inbegriffen, einschl, einschliesslich, davon",
    excluded: "ohne, exkl, exklusive",
    tip: "trinkgeld, tip",
    service: "bedienung, servicepauschale, bedienungsgeld, servicegebuhr, service",
    discount: "rabatt, nachlass, skonto, ermassigung, gutschein, preisnachlass",
    rounding: "rundung, rundungsdifferenz",
    deposit:
      "anzahlung, vorauszahlung, bereits bezahlt, bezahlt, abzuglich anzahlung, abschlag, abschlagszahlung, geleistete anzahlung, abzgl anzahlung, zahlungen, bereits gezahlt, erhaltene anzahlung, zahlung",
    cash: "bar, gegeben, bargeld, barzahlung, bar gegeben, geg, geg bar, erhalten",
    card: "karte, ec karte, girocard, kartenzahlung, kreditkarte, ec, ec cash, kartenbetrag, unbar",
    change: "ruckgeld, zuruck, wechselgeld, ruckgabe",
    ignored:
      "sie sparen, gespart, punkte, posten, anzahl, artikelanzahl, kurs, wechselkurs, umrechnungskurs, gegenwert, ersparnis, ubertrag, ubertrag von seite, zwischenubertrag",
  },
  fra: {
    total:
      "total, total ttc, montant total, montant ttc, total general, ttc, somme totale, prix total, total facture, total du, montant rembourse, total rembourse, total remboursement",
    vague_total: "montant, somme, remboursement, prix de la course",
    due: "net a payer, a payer, reste a payer, solde, solde du, montant du, a regler, reste du, reste a regler, montant a payer, total a payer, solde a payer, total a regler, net a regler",
    net: "sous total, total ht, montant ht, ht, hors taxe, hors taxes, net ht, total hors taxe, total hors taxes, total net ht, montant net, prix ht",
    base: "base ht, base taxable, base",
    tax: "tva, taxe, taxes, montant tva, total tva, total taxes, taxes et frais, taxes et redevances",
    levy: "taxe de sejour, taxe sejour, taxe aeroport",
    included: "dont, inclus, incluse, comprise, compris, inclue, ttc, incl",
    excluded: "hors, sans",
    tip: "pourboire, pourboires",
    service: "service, frais de service, frais de dossier",
    discount: "remise, reduction, rabais, ristourne, escompte, promotion",
    rounding: "arrondi, difference d arrondi",
    deposit:
      "acompte, arrhes, verse, deja paye, deja regle, avance, acompte verse, paye, regle, paiement, paiement recu, reglement",
    cash: "especes, espece, recu, comptant, donne, en especes",
    card: "carte, cb, carte bancaire, carte bleue, carte de credit, carte visa, sans contact",
    change: "rendu, monnaie, a rendre, rendu monnaie, monnaie rendue",
    ignored:
      "vous economisez, economie, points, articles, nombre d articles, cours, taux de change, equivalent, contre valeur, pour information, report, a reporter",
  },
  spa: {
    total:
      "total, importe total, total factura, suma total, total general, total con iva, total importe, precio total, total eur, total reembolso, importe reembolsado",
    vague_total: "importe, suma, reembolso, monto, valor",
    due: "a pagar, importe a pagar, total a pagar, pendiente, saldo, saldo pendiente, importe pendiente, resto a pagar, pendiente de pago, restante",
    net: "subtotal, importe neto, neto, sin iva, total neto, suma neta, total sin iva, valor neto, base imponible, total base imponible",
    base: "base, b imponible",
    tax: "iva, i v a, impuesto, impuestos, igic, cuota iva, cuota, cuota de iva, total iva, total impuestos, importe iva, tasas y cargos, tasas e impuestos, tasas",
    levy: "tasa turistica, impuesto turistico, ecotasa, tasa de aeropuerto, tasas de aeropuerto",
    included: "incluido, incluidos, incluida, incl",
    excluded: "sin, no incluido, excluido",
    tip: "propina, propinas",
    service: "servicio, cubierto, cargo por servicio",
    discount: "descuento, dto, rebaja, bonificacion",
    rounding: "redondeo",
    deposit:
      "anticipo, deposito, senal, pago a cuenta, a cuenta, pagado, ya pagado, prepago, abonado, pago, pagos, entrega a cuenta, pago recibido",
    cash: "efectivo, entregado, recibido, entrega, en efectivo, su entrega",
    card: "tarjeta, tarjeta de credito, tarjeta credito, tarjeta debito",
    change: "cambio, vuelto, su cambio, devuelto",
    ignored:
      "usted ahorra, ha ahorrado, ahorro, puntos, articulos, n articulos, tipo de cambio, contravalor, equivalente, unidades, suma y sigue, suma anterior",
  },
  por: {
    total:
      "total, valor total, total geral, montante total, total da fatura, total com iva, total liquido a pagar, preco total, total eur, total do documento, valor reembolsado, total reembolsado, total reembolso",
    vague_total: "valor, montante, soma, reembolso",
    due: "a pagar, valor a pagar, total a pagar, saldo, em divida, saldo a pagar, valor em divida, restante, por pagar, em falta",
    net: "subtotal, sub total, total liquido, valor liquido, iliquido, total iliquido, total sem iva, liquido, sem iva, base tributavel, total base",
    base: "incidencia, base, base incidencia, base de calculo",
    tax: "iva, imposto, impostos, icms, iss, total iva, valor iva, total impostos, valor do iva, taxas e encargos, taxas e impostos, taxas",
    levy: "taxa turistica, taxa municipal turistica, taxa de turismo, taxa de embarque, taxa aeroportuaria",
    included: "incluido, incluidos, incl, inclui",
    excluded: "sem, excluido, s iva",
    tip: "gorjeta, gratificacao",
    service: "taxa de servico, servico, couvert",
    discount: "desconto, desc, abatimento",
    rounding: "arredondamento",
    deposit:
      "adiantamento, sinal, entrada, valor pago, pago, ja pago, deposito, pre pagamento, pagamento, pagamentos, pagamento recebido",
    cash: "dinheiro, numerario, entregue, valor recebido, valor entregue, recebido",
    card: "cartao, multibanco, mb way, mbway, cartao de credito, cartao credito, cartao debito, cartao de debito, pix",
    change: "troco",
    ignored:
      "poupou, poupanca, pontos, artigos, n artigos, qtd total de itens, valor aproximado dos tributos, tributos, taxa de cambio, equivalente, contravalor, a transportar",
  },
  jpn: {
    total:
      "合計, 総合計, 総額, 合計金額, 総計, 税込合計, ご利用金額, 利用金額, お買上計, お買上げ計, 領収金額, 領収額, 運賃計, 返金額, 返金合計, ご返金額",
    vague_total: "金額, 運賃, 計",
    due: "請求額, 請求金額, お支払額, お支払い金額, お支払金額, 支払金額, お会計, 差引請求額, 残額, 残金, 差引残高, ご精算額",
    net: "小計, 税抜合計, 税抜金額, 税抜, 本体合計, 本体価格, 税抜計",
    base: "対象",
    tax: "消費税, 税額, 外税, 税等, 税計, 税",
    levy: "宿泊税, 入湯税",
    included: "内, うち, 税込, 込",
    excluded: "税抜, 税別, 別途",
    tip: "チップ",
    service: "サービス料, 奉仕料, サービス",
    discount: "割引, 値引, クーポン, 値下",
    rounding: "端数",
    deposit: "前金, 内金, 入金, 手付金, 前受金, 既払, 支払済",
    cash: "お預り, お預かり, 預り, 預かり, 現金, 現計, お預",
    card: "クレジット, カード, 電子マネー, paypay, 交通系, クレジットカード",
    change: "お釣り, 釣り, おつり, 釣銭, お釣",
    ignored: "点数, ポイント, 品数, 為替, 換算, 取引, 繰越",
  },
};
