// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PaymentBatch} from "../../src/PaymentBatch.sol";
import {BatchFixture} from "../support/BatchFixture.sol";
import {BurningWallet} from "../support/OddWallets.sol";
import {vm} from "../support/Vm.sol";

/// Settles batches of good and bad items, by anybody, while authorizations are also used past the batch.
contract BatchHandler is BatchFixture {
    uint256 private constant LARGEST_AMOUNT = 1e12;

    uint256 public owed;
    uint256 public donated;
    uint256 public minted;
    uint256 public paidTwice;
    uint256 public redirected;
    uint256 private nextNonce = 1;
    address private immutable burning = address(new BurningWallet());
    PaymentBatch.Item[] private used;

    constructor() {
        setUp();
        mint(burning, LARGEST_AMOUNT);
    }

    /// One of a key, one of a wallet, and one that uses up its gas.
    function settleMixed(uint256 amount, uint256 seed, address caller) external {
        uint256 value = 1 + (amount % LARGEST_AMOUNT);
        uint256 order = seed % 3;
        PaymentBatch.Item[] memory items = new PaymentBatch.Item[](3);
        items[order] = fresh(ALICE_KEY, ALICE, value);
        items[(order + 1) % 3] = fresh(KEEPER_KEY, address(wallet), value);
        items[(order + 2) % 3] = itemOf(ALICE_KEY, burning, 1, bytes32(nextNonce++));
        vm.prank(caller);
        require(batch.settle(address(token), PAYEE, items) == 2, "two are good");
        owed += 2 * value;
        used.push(items[order]);
    }

    /// The payer, or whoever has seen the authorization, uses it just before the batch.
    function settleAfterAStranger(uint256 amount, address stranger) external {
        uint256 value = 1 + (amount % LARGEST_AMOUNT);
        PaymentBatch.Item memory item = fresh(ALICE_KEY, ALICE, value);
        vm.prank(stranger);
        token.transferWithAuthorization(
            item.from, PAYEE, item.value, item.validAfter, item.validBefore, item.nonce, item.signature
        );
        require(settle(item) == 0, "it was used");
        owed += value;
        used.push(item);
    }

    function donate(uint256 amount) external {
        uint256 value = 1 + (amount % LARGEST_AMOUNT);
        mint(address(batch), value);
        donated += value;
    }

    /// The payer has the money: nothing but the used nonce may stop it.
    function attemptSecondPayment(uint256 seed) external {
        vm.assume(used.length > 0);
        PaymentBatch.Item memory item = used[seed % used.length];
        mint(ALICE, item.value);
        if (settle(item) != 0) paidTwice++;
    }

    function attemptAnotherPayee(uint256 amount, address other) external {
        vm.assume(other != PAYEE && other != address(0) && other != address(batch));
        PaymentBatch.Item[] memory items = new PaymentBatch.Item[](1);
        items[0] = fresh(ALICE_KEY, ALICE, 1 + (amount % LARGEST_AMOUNT));
        if (batch.settle(address(token), other, items) != 0) redirected++;
    }

    function balances() external view returns (uint256 payee, uint256 payers, uint256 kept) {
        payee = token.balanceOf(PAYEE);
        payers = token.balanceOf(ALICE) + token.balanceOf(address(wallet)) + token.balanceOf(burning);
        kept = token.balanceOf(address(batch));
    }

    function fresh(uint256 key, address payer, uint256 value) private returns (PaymentBatch.Item memory) {
        mint(payer, value);
        return itemOf(key, payer, value, bytes32(nextNonce++));
    }

    function mint(address to, uint256 value) private {
        mintTo(to, value);
        minted += value;
    }
}
