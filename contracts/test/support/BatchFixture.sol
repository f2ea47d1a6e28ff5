// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PaymentBatch} from "../../src/PaymentBatch.sol";
import {StablecoinFixture} from "./StablecoinFixture.sol";

abstract contract BatchFixture is StablecoinFixture {
    address internal constant PAYEE = address(0x9a1ee);

    PaymentBatch internal batch;

    function setUp() public virtual override {
        super.setUp();
        batch = new PaymentBatch();
    }

    /// Signed by `key` in favour of PAYEE, valid for an hour around NOW.
    function itemOf(uint256 key, address payer, uint256 value, bytes32 nonce)
        internal
        view
        returns (PaymentBatch.Item memory)
    {
        bytes memory signature = packed(key, transferHash(authorization(payer, PAYEE, value, nonce)));
        return PaymentBatch.Item(payer, value, NOW - 1, NOW + 1 hours, nonce, signature);
    }

    function settle(PaymentBatch.Item memory item) internal returns (uint256) {
        PaymentBatch.Item[] memory items = new PaymentBatch.Item[](1);
        items[0] = item;
        return batch.settle(address(token), PAYEE, items);
    }
}
