// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Invariant} from "../support/Invariant.sol";
import {vm} from "../support/Vm.sol";
import {SwapHandler} from "./SwapHandler.sol";

contract SwapPoolInvariants is Invariant {
    SwapHandler private handler;

    function setUp() public {
        handler = new SwapHandler();
    }

    /// In one campaign, because each campaign makes the same calls.
    function invariant_thePoolPaysWhatWasQuotedAndKeepsItsLeast() public view {
        vm.assertEq(handler.belowMinimum(), 0, "paid below the minimum");
        vm.assertEq(handler.belowLeastInventory(), 0, "paid out of the least inventory");
        vm.assertEq(handler.aboveRate(), 0, "paid above the rate");
        vm.assertEq(handler.unquoted(), 0, "swapped without a quote");
        vm.assertEq(handler.usedTwice(), 0, "a quote was used twice");
        vm.assertEq(handler.swappedInPause(), 0, "swapped in a pause");
        vm.assertTrue(handler.inventoryIsExpected(), "inventory");
    }

    function handlerAddress() internal view override returns (address) {
        return address(handler);
    }

    function handlerSelectors() internal view override returns (bytes4[] memory chosen) {
        chosen = new bytes4[](9);
        chosen[0] = handler.swap.selector;
        chosen[1] = bytes4(keccak256("give(uint256,bool)"));
        chosen[2] = handler.takeInventory.selector;
        chosen[3] = handler.setSpread.selector;
        chosen[4] = handler.attemptToEmpty.selector;
        chosen[5] = handler.attemptWithoutQuote.selector;
        chosen[6] = handler.attemptAboveMinimum.selector;
        chosen[7] = handler.attemptReplay.selector;
        chosen[8] = handler.attemptInPause.selector;
    }
}
