// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PaymentBatch} from "../src/PaymentBatch.sol";
import {BatchFixture} from "./support/BatchFixture.sol";
import {BurningWallet, LenientWallet, ReturningToken, ShoutingWallet, SlowWallet} from "./support/OddWallets.sol";
import {vm} from "./support/Vm.sol";

contract PaymentBatchTest is BatchFixture {
    uint256 private constant MOST_ITEMS = 12;

    /// Any of the items may be bad in any of the ways below: exactly the others are paid.
    function testFuzz_whatIsGoodIsPaidAndTheRestIsNot(uint8 size, uint256 seed, address caller) public {
        uint256 count = 1 + (size % MOST_ITEMS);
        PaymentBatch.Item[] memory items = new PaymentBatch.Item[](count);
        uint256 sum = 0;
        uint256 expected = 0;
        mintTo(ALICE, 1e12);
        mintTo(address(wallet), 1e12);
        for (uint256 index = 0; index < count; index++) {
            uint256 value = 1 + (uint256(keccak256(abi.encode(seed, index))) % 1e9);
            bool byWallet = (seed >> (index * 8 + 4)) % 2 == 1;
            items[index] = byWallet
                ? itemOf(KEEPER_KEY, address(wallet), value, bytes32(index + 1))
                : itemOf(ALICE_KEY, ALICE, value, bytes32(index + 1));
            uint256 fault = (seed >> (index * 8)) % 8;
            if (fault == 0) items[index].value++;
            if (fault == 1) items[index].signature[3] = ~items[index].signature[3];
            if (fault == 2) items[index].validBefore = NOW;
            if (fault == 3) items[index].signature = "";
            if (fault == 4) items[index].from = BOB;
            if (fault > 4) {
                sum += value;
                expected++;
            }
        }
        vm.prank(caller);
        vm.assertEq(batch.settle(address(token), PAYEE, items), expected, "paid");
        vm.assertEq(token.balanceOf(PAYEE), sum, "payee");
        vm.assertEq(token.balanceOf(ALICE) + token.balanceOf(address(wallet)), 2e12 - sum, "payers");
        vm.assertEq(token.balanceOf(address(batch)), 0, "batch");
        // Once more: every good one is used, and none is paid twice.
        vm.assertEq(batch.settle(address(token), PAYEE, items), 0, "again");
        vm.assertEq(token.balanceOf(PAYEE), sum, "payee again");
    }

    function testFuzz_nobodyIsPaidButThePayeeWhoWasSigned(address other) public {
        vm.assume(other != PAYEE && other != address(0) && other != address(batch));
        mintTo(ALICE, 100);
        PaymentBatch.Item[] memory items = new PaymentBatch.Item[](1);
        items[0] = itemOf(ALICE_KEY, ALICE, 100, "1");
        vm.assertEq(batch.settle(address(token), other, items), 0, "redirected");
        vm.assertEq(token.balanceOf(ALICE), 100, "payer");
        vm.assertEq(settle(items[0]), 1, "paid");
    }

    function test_saysWhatBecameOfEachItem() public {
        mintTo(ALICE, 100);
        PaymentBatch.Item[] memory items = new PaymentBatch.Item[](2);
        items[0] = itemOf(ALICE_KEY, ALICE, 101, "1");
        items[1] = itemOf(ALICE_KEY, ALICE, 100, "2");
        vm.expectEmit(address(batch));
        emit PaymentBatch.PaymentTried(address(token), ALICE, "1", 101, false);
        vm.expectEmit(address(batch));
        emit PaymentBatch.PaymentTried(address(token), ALICE, "2", 100, true);
        batch.settle(address(token), PAYEE, items);
    }

    function test_takesSignaturesOfAnyLengthFromWallets() public {
        LenientWallet lenient = new LenientWallet();
        mintTo(address(lenient), 30);
        PaymentBatch.Item[] memory items = new PaymentBatch.Item[](3);
        for (uint256 index = 0; index < 3; index++) {
            items[index] = itemOf(ALICE_KEY, address(lenient), 10, bytes32(index));
        }
        items[0].signature = "";
        items[1].signature = new bytes(700);
        vm.assertEq(batch.settle(address(token), PAYEE, items), 3, "paid");
        vm.assertEq(token.balanceOf(PAYEE), 30, "payee");
    }

    /// Items that use up all they may, or shout, before, between and behind those of a key.
    function test_noItemStarvesItsNeighbours() public {
        address burning = address(new BurningWallet());
        address shouting = address(new ShoutingWallet());
        mintTo(burning, 100);
        mintTo(shouting, 100);
        mintTo(ALICE, 100);
        PaymentBatch.Item[] memory items = new PaymentBatch.Item[](7);
        for (uint256 index = 0; index < 7; index++) {
            if (index % 3 == 0) items[index] = itemOf(ALICE_KEY, burning, 10, bytes32(index));
            if (index % 3 == 1) items[index] = itemOf(ALICE_KEY, ALICE, 10, bytes32(index));
            if (index % 3 == 2) items[index] = itemOf(ALICE_KEY, shouting, 10, bytes32(index));
        }
        // For each what it may use at most and the way to the next: no more is ever needed.
        uint256 needed = 5 * (batch.WALLET_ITEM_GAS() + 30_000) + 2 * (batch.KEY_ITEM_GAS() + 30_000);
        vm.assertEq(batch.settle{gas: needed}(address(token), PAYEE, items), 2, "paid");
        vm.assertEq(token.balanceOf(PAYEE), 20, "payee");
    }

    /// Whatever gas the caller gives: all good items are paid, or nothing happens at all.
    function testFuzz_littleGasFailsNoItemAlone(uint32 gasLimit) public {
        mintTo(ALICE, 100);
        address slow = address(new SlowWallet());
        mintTo(slow, 100);
        PaymentBatch.Item[] memory items = new PaymentBatch.Item[](3);
        items[0] = itemOf(ALICE_KEY, ALICE, 10, "0");
        items[1] = itemOf(ALICE_KEY, slow, 10, "1");
        items[2] = itemOf(ALICE_KEY, slow, 10, "2");
        bytes memory call = abi.encodeCall(batch.settle, (address(token), PAYEE, items));
        (bool success,) = address(batch).call{gas: 30_000 + (gasLimit % 1_000_000)}(call);
        vm.assertEq(token.balanceOf(PAYEE), success ? 30 : 0, "all or nothing");
    }

    function test_refusesWhatCannotBeMeant() public {
        PaymentBatch.Item[] memory items = new PaymentBatch.Item[](0);
        vm.expectRevert(abi.encodeWithSelector(PaymentBatch.PayeeNotAllowed.selector, address(0)));
        batch.settle(address(token), address(0), items);
        vm.expectRevert(abi.encodeWithSelector(PaymentBatch.PayeeNotAllowed.selector, address(batch)));
        batch.settle(address(token), address(batch), items);
        vm.expectRevert(abi.encodeWithSelector(PaymentBatch.TokenHasNoCode.selector, ALICE));
        batch.settle(ALICE, PAYEE, items);
        vm.assertEq(batch.settle(address(token), PAYEE, items), 0, "nothing to do");
    }

    function test_aTokenThatComesBackGetsNothing() public {
        mintTo(ALICE, 100);
        ReturningToken odd = new ReturningToken();
        PaymentBatch.Item[] memory inner = new PaymentBatch.Item[](1);
        inner[0] = itemOf(ALICE_KEY, ALICE, 100, "1");
        // What was signed for PAYEE, with somebody else as the payee, in the call that comes back.
        PaymentBatch.Item[] memory items = new PaymentBatch.Item[](1);
        items[0] = itemOf(ALICE_KEY, address(odd), 100, "1");
        items[0].signature = abi.encodeCall(batch.settle, (address(token), STRANGER, inner));
        vm.assertEq(batch.settle(address(odd), PAYEE, items), 1, "the odd token says so");
        vm.assertTrue(odd.cameBack(), "it did come back");
        vm.assertEq(token.balanceOf(ALICE), 100, "payer");
        vm.assertEq(token.balanceOf(STRANGER), 0, "stranger");
        vm.assertEq(settle(itemOf(ALICE_KEY, ALICE, 100, "1")), 1, "the authorization is still good");
    }

    function test_aPausedTokenFailsItemsAndNotTheBatch() public {
        mintTo(ALICE, 100);
        pauseToken();
        vm.assertEq(settle(itemOf(ALICE_KEY, ALICE, 100, "1")), 0, "paused");
        vm.prank(ADMINISTRATOR);
        token.unpause();
        vm.assertEq(settle(itemOf(ALICE_KEY, ALICE, 100, "1")), 1, "paid");
    }
}
