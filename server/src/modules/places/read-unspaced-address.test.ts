import { expect, it } from "vitest";
import { checkAddress } from "./check-address.ts";
import { countryOfUnspaced, readUnspacedAddress } from "./read-unspaced-address.ts";

/**
 * Public places as they publish their addresses, written down from memory, with the parts by which the postal services of their
 * countries sort them. The table of areas and postal codes that they are checked against is of another source.
 */
const PLACES: readonly (readonly [
  line: string,
  country: string,
  area: string,
  city: string | undefined,
  street: string,
  code: string,
])[] = [
  ["〒100-0005 東京都千代田区丸の内1-9-1", "JP", "東京都", undefined, "千代田区丸の内1-9-1", "100-0005"],
  ["〒111-0032 東京都台東区浅草2-3-1", "JP", "東京都", undefined, "台東区浅草2-3-1", "111-0032"],
  ["〒105-0011東京都港区芝公園4-2-8", "JP", "東京都", undefined, "港区芝公園4-2-8", "105-0011"],
  ["〒605-0073 京都府京都市東山区祇園町北側625", "JP", "京都府", undefined, "京都市東山区祇園町北側625", "605-0073"],
  ["京都府京都市北区金閣寺町1 〒603-8361", "JP", "京都府", undefined, "京都市北区金閣寺町1", "603-8361"],
  [
    "〒600-8216 京都府京都市下京区烏丸通七条下ル東塩小路町721-1",
    "JP",
    "京都府",
    undefined,
    "京都市下京区烏丸通七条下ル東塩小路町721-1",
    "600-8216",
  ],
  ["日本、〒540-0002 大阪府大阪市中央区大阪城1-1", "JP", "大阪府", undefined, "大阪市中央区大阪城1-1", "540-0002"],
  ["〒060-0042 北海道札幌市中央区大通西1丁目", "JP", "北海道", undefined, "札幌市中央区大通西1丁目", "060-0042"],
  ["〒730-0811 広島県広島市中区中島町1-2", "JP", "広島県", undefined, "広島市中区中島町1-2", "730-0811"],
  ["〒５１６－００２３ 三重県伊勢市宇治館町１", "JP", "三重県", undefined, "伊勢市宇治館町1", "516-0023"],
  ["110台北市信義區信義路五段7號", "TW", "台北市", "信義區", "信義路五段7號", "110"],
  ["11143臺北市士林區至善路二段221號", "TW", "台北市", "士林區", "至善路二段221號", "11143"],
  ["100 台北市中正區中山南路21號", "TW", "台北市", "中正區", "中山南路21號", "100"],
  ["804高雄市鼓山區蓮海路70號", "TW", "高雄市", "鼓山區", "蓮海路70號", "804"],
  ["700台南市中西區民族路二段212號", "TW", "台南市", "中西區", "民族路二段212號", "700"],
  ["台灣 970花蓮縣花蓮市國聯一路100號", "TW", "花蓮縣", "花蓮市", "國聯一路100號", "970"],
  ["404台中市北區館前路1號", "TW", "台中市", "北區", "館前路1號", "404"],
  ["03045 서울특별시 종로구 사직로 161", "KR", "서울특별시", "종로구", "사직로 161", "03045"],
  ["서울특별시 용산구 서빙고로 137 (04383)", "KR", "서울특별시", "용산구", "서빙고로 137", "04383"],
  ["대한민국 서울 중구 세종대로 110 04524", "KR", "서울특별시", "중구", "세종대로 110", "04524"],
  ["부산광역시 해운대구 APEC로 55 (48060)", "KR", "부산광역시", "해운대구", "APEC로 55", "48060"],
  ["인천광역시 중구 공항로 272 (22382)", "KR", "인천광역시", "중구", "공항로 272", "22382"],
  ["경기도 수원시 팔달구 정조로 825 (16262)", "KR", "경기도", "수원시 팔달구", "정조로 825", "16262"],
  ["경기도 성남시 분당구 불정로 6 13561", "KR", "경기도", "성남시 분당구", "불정로 6", "13561"],
  ["100009 北京市东城区景山前街4号", "CN", "北京市", "东城区", "景山前街4号", "100009"],
  ["北京市海淀区新建宫门路19号 邮编:100091", "CN", "北京市", "海淀区", "新建宫门路19号", "100091"],
  ["上海市黄浦区人民大道201号 200003", "CN", "上海市", "黄浦区", "人民大道201号", "200003"],
  ["中国广东省深圳市南山区深南大道9037号 518053", "CN", "广东省", "深圳市南山区", "深南大道9037号", "518053"],
  ["广东省广州市越秀区中山四路316号 510030", "CN", "广东省", "广州市越秀区", "中山四路316号", "510030"],
  ["陕西省西安市雁塔区小寨东路91号 710061", "CN", "陕西省", "西安市雁塔区", "小寨东路91号", "710061"],
  ["四川成都市青羊区青华路37号 610072", "CN", "四川省", "成都市青羊区", "青华路37号", "610072"],
];

it.each(PLACES)(
  "%s is read in its parts, and its country accepts them",
  (line, countryCode, area, city, street, code) => {
    expect(countryOfUnspaced([line])).toBe(countryCode);
    const given = {
      lines: [line],
      countryCode,
      locality: undefined,
      administrativeArea: undefined,
      postalCode: undefined,
    };
    const read = readUnspacedAddress(given);
    expect(read?.address).toMatchObject({ administrativeArea: area, locality: city, postalCode: code });
    expect(read?.streetLines).toEqual([street]);
    // Among others that the code is one of the area's.
    const checked = read && checkAddress(read.address, read.streetLines);
    expect(checked?.problems).toEqual([]);
  },
);
